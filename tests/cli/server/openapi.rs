//! `/openapi.json` is correct and complete: everything it describes exists and answers as it says, and there is nothing else.

use serde_json::{Map, Value, json};

use crate::server::client::{Answer, Server, encoded};

/// Whether a value is as a schema says; where not.
fn check(schema: &Value, value: &Value, all: &Value) -> Result<(), String> {
    if let Some(name) = schema["$ref"].as_str() {
        let found = all.pointer(name.trim_start_matches('#'));
        return check(found.expect("a schema that is there"), value, all);
    }
    if let Some(kinds) = schema["oneOf"].as_array() {
        let fits = kinds.iter().filter(|kind| check(kind, value, all).is_ok());
        return (fits.count() > 0)
            .then_some(())
            .ok_or(format!("{value} fits none of {schema}"));
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => return Err(format!("{schema} has no type")),
    };
    let is_kind = |kind: &&&str| match **kind {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        other => panic!("no such type: {other}"),
    };
    if !kinds.iter().any(|kind| is_kind(&kind)) {
        return Err(format!("{value} is no {kinds:?}"));
    }
    let bounds = [("minimum", -1.0), ("maximum", 1.0)];
    for (name, sign) in bounds {
        if let (Some(bound), Some(number)) = (schema[name].as_f64(), value.as_f64())
            && sign * number > sign * bound
        {
            return Err(format!("{number} is beyond {bound}"));
        }
    }
    if let Some(values) = schema["enum"].as_array()
        && !values.contains(value)
    {
        return Err(format!("{value} is none of {values:?}"));
    }
    for item in value.as_array().into_iter().flatten() {
        check(&schema["items"], item, all)?;
    }
    let Some(object) = value.as_object() else {
        return Ok(());
    };
    let required = schema["required"].as_array().into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        object
            .get(name)
            .ok_or(format!("{name} is missing in {value}"))?;
    }
    for (name, value) in object {
        let property = schema["properties"]
            .get(name)
            .or(schema.get("additionalProperties"));
        match property {
            Some(property) => {
                check(property, value, all).map_err(|why| format!("{name}: {why}"))?;
            }
            None if schema["properties"].as_object().is_some_and(Map::is_empty) => {}
            None => return Err(format!("{name} is not described")),
        }
    }
    Ok(())
}

/// The example of a schema.
fn example(schema: &Value) -> Value {
    let given = schema["examples"].get(0).or(schema.get("default"));
    given.cloned().unwrap_or_else(|| match &schema["type"] {
        Value::String(kind) if kind == "array" => json!([]),
        _ => schema["oneOf"].get(0).map_or(Value::Null, example),
    })
}

/// Values of parameters in addresses.
const PARAMETERS: [(&str, &str); 8] = [
    ("srcLangCode", "en"),
    ("trgLangCode", "de"),
    ("input", "Open the file."),
    ("userName", "a"),
    ("password", "a"),
    ("tokenCode", "0"),
    ("modelTag", ""),
    ("inputIsSingleSentence", "true"),
];

/// The address of an operation, with all its parameters, or with those alone that are needed.
fn address(path: &str, operation: &Value, is_full: bool) -> String {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    let required =
        parameters.filter(|it| it["in"] == "query" && (is_full || it["required"] == true));
    let query = required.map(|parameter| {
        let name = parameter["name"].as_str().expect("a name");
        let known = PARAMETERS.iter().find(|(own, _)| *own == name);
        format!("{name}={}", encoded(known.expect("a value").1))
    });
    format!("{path}?{}", query.collect::<Vec<_>>().join("&"))
}

/// Sends a body of a kind as the description shows it, with all fields that have examples, or with those alone that are
/// needed. Where a file may be sent or a text, the kind of body decides.
fn send(server: &Server, path: &str, (kind, schema): (&str, &Value), is_full: bool) -> Answer {
    if schema["type"] == "array" {
        return server.post_json(path, &example(schema));
    }
    let required: Vec<&Value> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .collect();
    let properties = schema["properties"].as_object().expect("fields");
    let takes_file = properties.contains_key("file");
    let is_multipart = kind == "multipart/form-data";
    let fields = properties
        .iter()
        .filter(|(name, schema)| match name.as_str() {
            "file" => false,
            "text" if takes_file => !is_multipart,
            _ => required.contains(&&json!(name)) || is_full && !example(schema).is_null(),
        });
    let fields: Map<String, Value> = fields
        .map(|(name, schema)| (name.clone(), example(schema)))
        .collect();
    if kind == "application/json" {
        return server.post_json(path, &Value::Object(fields));
    }
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let fields: Vec<(String, String)> = fields
        .iter()
        .map(|(name, value)| (name.clone(), text(value)))
        .collect();
    let fields: Vec<(&str, &str)> = fields
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    if is_multipart {
        server.post_file(path, &fields, "a.txt", b"Open the file.")
    } else {
        server.post_form(path, &fields)
    }
}

/// The answers to an operation: once for each kind of body that it takes.
fn answers(
    server: &Server,
    method: &str,
    path: &str,
    operation: &Value,
    is_full: bool,
) -> Vec<Answer> {
    let path = address(path, operation, is_full);
    let content = operation["requestBody"]["content"].as_object();
    let Some(content) = content else {
        return vec![server.send(method, &path, "", b"")];
    };
    let kinds = content.iter();
    kinds
        .map(|(kind, body)| send(server, &path, (kind, &body["schema"]), is_full))
        .collect()
}

/// Addresses whose last part another request has made.
fn made(server: &Server, path: &str) -> String {
    let fields = [("source", "en"), ("target", "de")];
    match path {
        "/v1/documents/{id}" => {
            let made = server
                .post_file("/v1/documents", &fields, "a.txt", b"Open.")
                .good();
            format!("/v1/documents/{}", made["id"].as_str().expect("an id"))
        }
        "/download_file/{name}" => {
            let made = server
                .post_file("/translate_file", &fields, "a.txt", b"Open.")
                .good();
            let url = made["translatedFileUrl"].as_str().expect("an address");
            url.trim_start_matches("http://localhost").to_owned()
        }
        other => other.to_owned(),
    }
}

#[test]
fn everything_described_is_there_and_answers_as_described() {
    let server = Server::start(&[]);
    let all = server.get("/openapi.json").good();
    assert_eq!(all["info"]["version"], env!("CARGO_PKG_VERSION"));
    for (path, methods) in all["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let name = format!("{method} {path}");
            let method = method.to_uppercase();
            let real = made(&server, path);
            let content = &operation["responses"]["200"]["content"];
            for is_full in [true, false] {
                for answer in answers(&server, &method, &real, operation, is_full) {
                    assert_eq!(answer.status, 200, "{name}: {}", answer.text());
                    let described = content.as_object().and_then(|it| it.iter().next());
                    let Some((kind, described)) = described else {
                        assert!(answer.body.is_empty(), "{name}");
                        continue;
                    };
                    let head = answer.head.to_lowercase();
                    assert!(
                        head.contains(&format!("content-type: {kind}")),
                        "{name}: {head}"
                    );
                    if kind == "application/json" {
                        let found = check(&described["schema"], &answer.json(), &all);
                        assert_eq!(found, Ok(()), "{name}: {}", answer.text());
                    }
                }
            }
            if operation["requestBody"].is_object() {
                let refused = server.post_json(&real, &json!({}));
                assert_eq!(refused.status, 400, "{name}");
                let error = &all["components"]["schemas"]["Error"];
                assert_eq!(check(error, &refused.json(), &all), Ok(()), "{name}");
            }
        }
    }
}

#[test]
fn every_route_is_described() {
    let all: Value =
        serde_json::from_str(include_str!("../../../assets/server/openapi.json")).expect("JSON");
    let source = include_str!("../../../src/server/routes.rs");
    let routes = source.split(".route(\"").skip(1);
    let routes: Vec<&str> = routes.filter_map(|route| route.split('"').next()).collect();
    assert!(routes.len() > 10, "{routes:?}");
    for route in routes {
        let is_described = all["paths"].get(route).is_some();
        // That of OPUS-CAT has many actions, each of them described.
        assert!(
            is_described || route == "/{service}/{action}",
            "{route} is not described"
        );
    }
    let actions = include_str!("../../../src/server/opus_cat.rs");
    for path in all["paths"].as_object().expect("paths").keys() {
        if let Some(action) = path.strip_prefix("/MTRestService/") {
            assert!(
                actions.contains(&format!("\"{}\"", action.to_lowercase())),
                "{action}"
            );
        }
    }
}
