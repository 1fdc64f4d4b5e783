//! Tables of a result: an error, or rows that come back when they are written again.

use lookalike_io::table::{Cell, Column, TableError, TableFormat, TableReader, TableWriter, Value};
use std::path::Path;

const COLUMNS: [Column; 4] = [
    Column::text("id"),
    Column::text("kept"),
    Column::count("shared"),
    Column::ratio("resemblance"),
];

/// Any bytes as a table: TSV, or JSONL if the first byte is odd; and rows made of them.
pub fn tables(data: &[u8]) {
    let Some((form, rest)) = data.split_first() else { return };
    let folder = super::folder();
    rows_come_back(folder.path(), rest);
    let format = if form % 2 == 0 { TableFormat::Tsv } else { TableFormat::Jsonl };
    any(folder.path(), format, rest);
}

/// Any bytes as a Parquet table.
pub fn parquet_tables(data: &[u8]) {
    let folder = super::folder();
    any(folder.path(), TableFormat::Parquet, data);
}

fn any(folder: &Path, format: TableFormat, bytes: &[u8]) {
    std::fs::write(folder.join(format!("any.{}", format.extension())), bytes).unwrap();
    let Ok((columns, rows)) = read(folder, "any") else { return };
    // A JSONL table without rows does not say its columns.
    if !columns.is_empty() {
        write(folder, "again", format, &columns, &rows);
        assert_eq!(read(folder, "again").unwrap().1, rows);
    }
}

/// Rows of any texts and numbers come back from each format, to the last bit.
fn rows_come_back(folder: &Path, data: &[u8]) {
    let row = |part: &[u8]| {
        let text = |bytes: &[u8]| match bytes {
            [0, ..] => Value::Null,
            bytes => Value::Text(String::from_utf8_lossy(bytes).into_owned()),
        };
        let number = part.iter().fold(0u64, |sum, &byte| sum << 7 ^ u64::from(byte));
        let ratio = f64::from_bits(number.rotate_left(32));
        vec![
            text(&part[..part.len() / 2]),
            text(part),
            Value::Count(number & i64::MAX as u64),
            if ratio.is_finite() { Value::Ratio(ratio) } else { Value::Null },
        ]
    };
    let rows: Vec<Vec<Value>> = data.chunks(24).map(row).collect();
    for format in TableFormat::ALL {
        let name = format!("rows-{}", format.extension());
        write(folder, &name, format, &COLUMNS, &rows);
        assert_eq!(read(folder, &name).unwrap().1, rows, "{name}");
    }
}

fn write(folder: &Path, name: &str, format: TableFormat, columns: &[Column], rows: &[Vec<Value>]) {
    let mut table = TableWriter::create(&folder.join(name), format, columns).unwrap();
    for row in rows {
        let cells: Vec<Cell<'_>> = row.iter().map(Value::as_cell).collect();
        table.row(&cells).unwrap();
    }
    table.finish().unwrap();
}

type Table = (Vec<Column>, Vec<Vec<Value>>);

fn read(folder: &Path, name: &str) -> Result<Table, TableError> {
    let mut table = TableReader::open(folder, name, &COLUMNS)?;
    let rows = table.by_ref().collect::<Result<_, _>>()?;
    Ok((table.columns().to_vec(), rows))
}
