"""Tests on a Spark cluster; a package, so that its conftest is another module than that of the other tests."""
