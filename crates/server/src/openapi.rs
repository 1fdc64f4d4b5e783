//! The description of the service (OpenAPI 3.1), made of the endpoints.

use crate::endpoint::{Content, Endpoint};
use crate::problem::Problem;
use crate::routes;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// Statuses that any endpoint with a scope may answer.
const USUAL: [u16; 6] = [400, 401, 403, 429, 500, 503];

/// The description of the service, as GET /openapi.json answers it.
#[must_use]
pub fn description() -> Value {
    describe(routes::all().map(|endpoint| (endpoint, "", None)))
}

/// The description of some endpoints, each with what is said besides, and what is answered if it is
/// something else.
pub(crate) fn describe<'a>(
    endpoints: impl Iterator<Item = (&'a Endpoint, &'a str, Option<&'a Content>)>,
) -> Value {
    let settings = SchemaSettings::draft2020_12()
        .with(|settings| settings.definitions_path = "/components/schemas".into());
    let mut schemas = settings.into_generator();
    let mut paths = Map::new();
    for (endpoint, besides, answer) in endpoints {
        let operation = operation(endpoint, besides, answer, &mut schemas);
        let path = paths.entry(endpoint.path).or_insert_with(|| json!({}));
        path[endpoint.method.to_ascii_lowercase()] = operation;
    }
    schemas.subschema_for::<Problem>();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "lookalike",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Near-duplicate documents of an index, each with its proof.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": schemas.take_definitions(false),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    })
}

fn operation(
    endpoint: &Endpoint,
    besides: &str,
    answer: Option<&Content>,
    schemas: &mut SchemaGenerator,
) -> Value {
    let Endpoint { summary, about, parameters, body, refusals, scope, .. } = endpoint;
    let answer = answer.unwrap_or(&endpoint.answer);
    let about = format!("{about} {besides}");
    let about = about.trim();
    let parameters: Vec<Value> = parameters
        .iter()
        .map(|parameter| {
            json!({
                "name": parameter.name, "in": parameter.place.name(),
                "description": parameter.about, "required": parameter.required,
                "schema": (parameter.schema)(schemas),
            })
        })
        .collect();
    let mut responses = Map::new();
    let answered = json!({"description": summary, "content": content([answer], schemas)});
    responses.insert("200".to_owned(), answered.clone());
    if endpoint.method == "PUT" {
        responses.insert("201".to_owned(), answered);
    }
    let of_bodies: &[u16] = if body.is_empty() { &[] } else { &[408, 413, 415] };
    let usual: &[u16] = if scope.is_some() { &USUAL } else { &[403, 500, 503] };
    for status in usual.iter().chain(of_bodies).chain(*refusals) {
        let media = Problem::MEDIA_TYPE;
        let schema = schemas.subschema_for::<Problem>();
        let problem = json!({"description": "a problem", "content": {media: {"schema": schema}}});
        responses.insert(status.to_string(), problem);
    }
    responses.sort_keys();
    let mut operation =
        json!({"summary": summary, "parameters": parameters, "responses": responses});
    if !about.is_empty() {
        operation["description"] = json!(about);
    }
    if !body.is_empty() {
        operation["requestBody"] = json!({"required": true, "content": content(*body, schemas)});
    }
    if let Some(scope) = scope {
        operation["security"] = json!([{"token": []}, {}]);
        operation["x-scope"] = json!(scope.name());
    }
    operation
}

fn content<'a>(
    bodies: impl IntoIterator<Item = &'a Content>,
    schemas: &mut SchemaGenerator,
) -> Value {
    let bodies = bodies.into_iter();
    let of_media = bodies
        .map(|Content { media, schema }| ((*media).to_owned(), json!({"schema": schema(schemas)})));
    Value::Object(of_media.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");

    /// The description in the repository is that of the code; `BLESS=1` writes it.
    #[test]
    fn the_description_is_that_of_the_repository() {
        let described = format!("{:#}\n", description());
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(FILE, &described).unwrap();
        }
        let stored = std::fs::read_to_string(FILE).unwrap_or_default();
        assert!(stored == described, "run `BLESS=1 cargo test -p lookalike-server` to write it");
    }

    #[test]
    fn every_reference_leads_to_a_schema_and_every_parameter_of_a_path_is_described() {
        let description = description();
        let text = description.to_string();
        for reference in text.split("\"$ref\":\"#").skip(1) {
            let pointer = reference.split('"').next().unwrap();
            assert!(description.pointer(pointer).is_some(), "{pointer}");
        }
        for endpoint in routes::all() {
            let described: Vec<_> = endpoint.parameters.iter().map(|one| one.name).collect();
            for name in endpoint.path.split('{').skip(1).filter_map(|rest| rest.split('}').next()) {
                assert!(described.contains(&name), "{}: {name}", endpoint.path);
            }
        }
    }
}
