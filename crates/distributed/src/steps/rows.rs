//! Rows of the tables that travel between steps, as Arrow record batches.

use arrow_array::builder::{
    ArrayBuilder, BinaryBuilder, Float64Builder, Int64Builder, StringBuilder,
};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, BinaryArray, Float64Array, Int64Array, LargeBinaryArray};
use arrow_array::{LargeStringArray, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, FieldRef, SchemaRef};
use lookalike_run::LookalikeError;

/// What a column holds.
pub(crate) trait Kind {
    /// A value of the column.
    type Value<'a>: Copy + Default;
    type Builder: ArrayBuilder + Default;
    type Column<'c>;
    const TYPE: DataType;
    fn append(builder: &mut Self::Builder, value: Self::Value<'_>);
    fn column(array: &ArrayRef) -> Option<Self::Column<'_>>;
    fn read<'a>(column: &Self::Column<'a>, row: usize) -> Self::Value<'a>;
    /// Bytes of a value outside of its column.
    fn bytes(_: Self::Value<'_>) -> usize {
        0
    }
}

/// A whole number.
pub(crate) enum Int {}

impl Kind for Int {
    type Value<'a> = i64;
    type Builder = Int64Builder;
    type Column<'c> = &'c Int64Array;
    const TYPE: DataType = DataType::Int64;
    fn append(builder: &mut Int64Builder, value: i64) {
        builder.append_value(value);
    }
    fn column(array: &ArrayRef) -> Option<&Int64Array> {
        array.as_primitive_opt::<Int64Type>()
    }
    fn read<'a>(column: &Self::Column<'a>, row: usize) -> Self::Value<'a> {
        column.value(row)
    }
}

/// A whole number, or none.
pub(crate) enum MaybeInt {}

impl Kind for MaybeInt {
    type Value<'a> = Option<i64>;
    type Builder = Int64Builder;
    type Column<'c> = &'c Int64Array;
    const TYPE: DataType = DataType::Int64;
    fn append(builder: &mut Int64Builder, value: Option<i64>) {
        builder.append_option(value);
    }
    fn column(array: &ArrayRef) -> Option<&Int64Array> {
        array.as_primitive_opt::<Int64Type>()
    }
    fn read<'a>(column: &Self::Column<'a>, row: usize) -> Self::Value<'a> {
        column.is_valid(row).then(|| column.value(row))
    }
}

/// A ratio, or none.
pub(crate) enum Ratio {}

impl Kind for Ratio {
    type Value<'a> = Option<f64>;
    type Builder = Float64Builder;
    type Column<'c> = &'c Float64Array;
    const TYPE: DataType = DataType::Float64;
    fn append(builder: &mut Float64Builder, value: Option<f64>) {
        builder.append_option(value);
    }
    fn column(array: &ArrayRef) -> Option<&Float64Array> {
        array.as_primitive_opt::<Float64Type>()
    }
    fn read<'a>(column: &Self::Column<'a>, row: usize) -> Self::Value<'a> {
        column.is_valid(row).then(|| column.value(row))
    }
}

/// A text, or none.
pub(crate) enum Text {}

/// Texts with offsets of 32 or 64 bits: an engine may give back either.
pub(crate) enum Texts<'c> {
    Small(&'c StringArray),
    Large(&'c LargeStringArray),
}

impl Kind for Text {
    type Value<'a> = Option<&'a str>;
    type Builder = StringBuilder;
    type Column<'c> = Texts<'c>;
    const TYPE: DataType = DataType::Utf8;
    fn append(builder: &mut StringBuilder, value: Option<&str>) {
        builder.append_option(value);
    }
    fn column(array: &ArrayRef) -> Option<Texts<'_>> {
        let small = array.as_string_opt().map(Texts::Small);
        small.or_else(|| array.as_string_opt().map(Texts::Large))
    }
    fn read<'a>(column: &Self::Column<'a>, row: usize) -> Self::Value<'a> {
        match column {
            Texts::Small(texts) => texts.is_valid(row).then(|| texts.value(row)),
            Texts::Large(texts) => texts.is_valid(row).then(|| texts.value(row)),
        }
    }
    fn bytes(value: Option<&str>) -> usize {
        value.map_or(0, str::len)
    }
}

/// Bytes.
pub(crate) enum Blob {}

/// Bytes with offsets of 32 or 64 bits.
pub(crate) enum Blobs<'c> {
    Small(&'c BinaryArray),
    Large(&'c LargeBinaryArray),
}

impl Kind for Blob {
    type Value<'a> = &'a [u8];
    type Builder = BinaryBuilder;
    type Column<'c> = Blobs<'c>;
    const TYPE: DataType = DataType::Binary;
    fn append(builder: &mut BinaryBuilder, value: &[u8]) {
        builder.append_value(value);
    }
    fn column(array: &ArrayRef) -> Option<Blobs<'_>> {
        let small = array.as_binary_opt().map(Blobs::Small);
        small.or_else(|| array.as_binary_opt().map(Blobs::Large))
    }
    fn read<'a>(column: &Self::Column<'a>, row: usize) -> Self::Value<'a> {
        match column {
            Blobs::Small(blobs) => blobs.value(row),
            Blobs::Large(blobs) => blobs.value(row),
        }
    }
    fn bytes(value: &[u8]) -> usize {
        value.len()
    }
}

/// Columns of a row behind its own.
pub(crate) trait Tail: Default {
    /// What they say.
    type Row<'a>: Copy;
    /// Their names and types.
    fn fields() -> Vec<FieldRef>;
    /// Adds the values of a row.
    fn push(&mut self, row: Option<Self::Row<'_>>) -> Result<(), LookalikeError>;
    /// Takes the columns of all rows.
    fn finish(&mut self) -> Result<Vec<ArrayRef>, LookalikeError>;
}

/// A kind of rows.
pub(crate) trait RowKind: 'static {
    /// A row of a batch.
    type Row<'a>;
    /// Collects rows of this kind into batches.
    type Writer: RowWriter;
    /// Calls a function with each row of a batch, in their order.
    ///
    /// # Errors
    /// A column is missing, or of another type; those of the function.
    fn each(
        batch: &RecordBatch,
        each: impl FnMut(Self::Row<'_>) -> Result<(), LookalikeError>,
    ) -> Result<(), LookalikeError>;
}

/// Collects rows into batches.
pub(crate) trait RowWriter: Default + Send {
    /// The columns.
    fn schema() -> SchemaRef;
    /// The batches that are complete.
    fn take(&mut self) -> Vec<RecordBatch>;
    /// All rows that are left.
    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError>;
}

/// The error of rows that lack a column.
pub(crate) fn no_column(name: &str, kind: &DataType) -> LookalikeError {
    LookalikeError::Settings(format!(
        "a step was given rows without a column `{name}` of the type {kind}: all tasks must run the same \
         version of lookalike"
    ))
}

/// The error of a batch that cannot be made.
pub(crate) fn no_batch(error: &ArrowError) -> LookalikeError {
    LookalikeError::Settings(format!("rows of a step make no batch: {error}"))
}

/// Rows, after which a batch is complete.
const ROWS: usize = 8192;

/// Bytes of values, after which a batch is complete.
const BYTES: usize = 4 << 20;

/// Whether a batch with so many rows and bytes is complete.
pub(crate) fn is_complete(rows: usize, bytes: usize) -> bool {
    rows >= ROWS || bytes >= BYTES
}

/// Makes a row type, its writer and its reader. With `& NAME: TAIL`, rows have further columns that
/// are written only.
macro_rules! rows {
    ($(#[$doc:meta])* $row:ident, $writer:ident, $reader:ident $(& $more:ident: $tail:ident)? { $($(#[$field_doc:meta])* $field:ident: $kind:ident,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default)]
        pub(crate) struct $row<'a> {
            $($(#[$field_doc])* pub(crate) $field: <$crate::steps::rows::$kind as $crate::steps::rows::Kind>::Value<'a>,)+
            $(/// What the further columns say.
            pub(crate) $more: Option<<$tail as $crate::steps::rows::Tail>::Row<'a>>,)?
            /// Rows without texts and blobs borrow nothing.
            pub(crate) borrows: std::marker::PhantomData<&'a ()>,
        }

        /// Collects rows into batches.
        #[derive(Default)]
        pub(crate) struct $writer {
            $($field: <$crate::steps::rows::$kind as $crate::steps::rows::Kind>::Builder,)+
            $($more: $tail,)?
            rows: usize,
            bytes: usize,
            full: Vec<arrow_array::RecordBatch>,
        }

        impl $writer {
            /// Adds a row.
            #[allow(dead_code, reason = "some rows are read only")]
            pub(crate) fn push(&mut self, row: $row<'_>) -> Result<(), lookalike_run::LookalikeError> {
                use $crate::steps::rows::Kind;
                $(
                    self.bytes += $crate::steps::rows::$kind::bytes(row.$field);
                    $crate::steps::rows::$kind::append(&mut self.$field, row.$field);
                )+
                $($crate::steps::rows::Tail::push(&mut self.$more, row.$more)?;)?
                self.rows += 1;
                match $crate::steps::rows::is_complete(self.rows, self.bytes) {
                    true => self.cut(),
                    false => Ok(()),
                }
            }

            fn cut(&mut self) -> Result<(), lookalike_run::LookalikeError> {
                if self.rows > 0 {
                    let columns: [arrow_array::ArrayRef; _] = [$(std::sync::Arc::new(self.$field.finish())),+];
                    let columns = columns.into_iter()$(.chain($crate::steps::rows::Tail::finish(&mut self.$more)?))?;
                    let batch = arrow_array::RecordBatch::try_new(<Self as $crate::steps::rows::RowWriter>::schema(), columns.collect());
                    self.full.push(batch.map_err(|error| $crate::steps::rows::no_batch(&error))?);
                    (self.rows, self.bytes) = (0, 0);
                }
                Ok(())
            }
        }

        impl $crate::steps::rows::RowWriter for $writer {
            fn schema() -> arrow_schema::SchemaRef {
                use $crate::steps::rows::Kind;
                let field = |name: &str, kind| arrow_schema::FieldRef::new(arrow_schema::Field::new(name, kind, true));
                let fields = [$(field(stringify!($field), $crate::steps::rows::$kind::TYPE)),+];
                let fields = fields.into_iter()$(.chain(<$tail as $crate::steps::rows::Tail>::fields()))?;
                arrow_schema::Schema::new(fields.collect::<Vec<_>>()).into()
            }

            fn take(&mut self) -> Vec<arrow_array::RecordBatch> {
                std::mem::take(&mut self.full)
            }

            fn finish(&mut self) -> Result<Vec<arrow_array::RecordBatch>, lookalike_run::LookalikeError> {
                self.cut()?;
                Ok(std::mem::take(&mut self.full))
            }
        }

        impl $crate::steps::rows::RowKind for $row<'static> {
            type Row<'a> = $row<'a>;
            type Writer = $writer;

            fn each(
                batch: &arrow_array::RecordBatch,
                each: impl FnMut($row<'_>) -> Result<(), lookalike_run::LookalikeError>,
            ) -> Result<(), lookalike_run::LookalikeError> {
                $reader::new(batch)?.iter().try_for_each(each)
            }
        }

        /// Reads the rows of a batch.
        pub(crate) struct $reader<'b> {
            $($field: <$crate::steps::rows::$kind as $crate::steps::rows::Kind>::Column<'b>,)+
            rows: usize,
        }

        impl<'b> $reader<'b> {
            /// # Errors
            /// A column is missing, or of another type.
            pub(crate) fn new(batch: &'b arrow_array::RecordBatch) -> Result<Self, lookalike_run::LookalikeError> {
                use $crate::steps::rows::Kind;
                Ok(Self {
                    $($field: {
                        let found = batch.column_by_name(stringify!($field));
                        let found = found.and_then($crate::steps::rows::$kind::column);
                        found.ok_or_else(|| $crate::steps::rows::no_column(stringify!($field), &$crate::steps::rows::$kind::TYPE))?
                    },)+
                    rows: batch.num_rows(),
                })
            }

            /// The rows in their order.
            pub(crate) fn iter(&self) -> impl Iterator<Item = $row<'b>> + '_ {
                use $crate::steps::rows::Kind;
                (0..self.rows).map(|row| $row {
                    $($field: $crate::steps::rows::$kind::read(&self.$field, row),)+
                    $($more: None,)?
                    borrows: std::marker::PhantomData,
                })
            }
        }
    };
}

pub(crate) use rows;
