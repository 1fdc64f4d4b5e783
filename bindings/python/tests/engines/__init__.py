"""Tests on Ray Data, Dask and Daft; a package, so that its conftest is another module than that of the other tests."""
