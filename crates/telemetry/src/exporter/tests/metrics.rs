//! The metrics of a sample run.

use super::*;

/// The points of a metric: their attributes, and their value or sum.
pub(super) fn points(requests: &[(Signal, Value)], name: &str) -> Vec<(String, f64)> {
    let (_, body) = requests.iter().rfind(|(signal, _)| *signal == Signal::Metrics).unwrap();
    let all = body["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().unwrap();
    let metric = all.iter().find(|metric| metric["name"] == name).unwrap();
    let data = ["sum", "gauge", "histogram"].iter().find_map(|kind| metric.get(kind)).unwrap();
    let points = data["dataPoints"].as_array().unwrap().iter().map(|point| {
        let attributes = point["attributes"].as_array().unwrap().iter();
        let values = attributes.map(|one| one["value"]["stringValue"].as_str().unwrap());
        let value = point.get("asDouble").unwrap_or(&point["sum"]);
        (values.collect::<Vec<_>>().join(" "), value.as_f64().unwrap())
    });
    points.collect()
}

#[test]
fn metrics_are_sums_since_the_process_began() {
    let events = traced(a_run());
    let requests = export(&mut Exporter::new(None), &events);
    let of_claude = "invoke_agent anthropic claude-opus-4";
    let expected =
        [(format!("{of_claude} input"), 1_200_000.0), (format!("{of_claude} output"), 45_000.0)];
    assert_eq!(points(&requests, "gen_ai.client.token.usage"), expected);
    let times = points(&requests, "gen_ai.client.operation.duration");
    assert_eq!(times, [(of_claude.to_owned(), 230.0)]);
    assert_eq!(points(&requests, "ralph.cost"), [(format!("{of_claude} review"), 0.42)]);
    let iterations = points(&requests, "ralph.iteration.duration");
    let expected = [("review accepted", 252.0), ("review-fix failed", 252.0)];
    assert_eq!(iterations, expected.map(|(labels, sum)| (labels.to_owned(), sum)));
    let stories = points(&requests, "ralph.stories");
    let expected = [("done", 1.0), ("given-up", 0.0), ("open", 2.0)];
    assert_eq!(stories, expected.map(|(labels, count)| (labels.to_owned(), count)));
    assert_eq!(points(&requests, "ralph.run.duration"), [("interrupted".to_owned(), 5652.0)]);

    let mut resumed = Exporter::new(None);
    let half = events.iter().position(|one| one.at > at(254)).unwrap();
    events[..half].iter().for_each(|stamped| resumed.replay(stamped));
    let requests = export(&mut resumed, &events[half..]);
    let expected = [("review-fix failed".to_owned(), 252.0)];
    assert_eq!(points(&requests, "ralph.iteration.duration"), expected);
}

#[test]
fn a_metric_has_the_form_of_otlp() {
    let requests = export(&mut Exporter::new(None), &traced(a_run()));
    let (_, body) = &requests[1];
    let all = &body["resourceMetrics"][0]["scopeMetrics"][0]["metrics"];
    assert_eq!(body["resourceMetrics"][0]["resource"], resource());
    let attributes = json!([
        text("gen_ai.operation.name", "invoke_agent"),
        text("gen_ai.provider.name", "anthropic"),
        text("gen_ai.request.model", "claude-opus-4")
    ]);
    let times = json!({ "name": "gen_ai.client.operation.duration", "unit": "s", "histogram": {
        "aggregationTemporality": 2, "dataPoints": [{
            "attributes": attributes,
            "startTimeUnixNano": time(0), "timeUnixNano": time(230),
            "count": "1", "sum": 230.0,
            "bucketCounts": ["0", "0", "0", "0", "0", "0", "1", "0", "0", "0", "0", "0", "0", "0"],
            "explicitBounds": [1.0, 5.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1200.0, 1800.0,
                3600.0, 7200.0, 14400.0] }] } });
    assert_eq!(all[1], times);
    let cost = &all[2];
    assert_eq!((&cost["unit"], &cost["sum"]["isMonotonic"]), (&json!("{USD}"), &json!(true)));
    assert_eq!(cost["sum"]["aggregationTemporality"], 2);
}
