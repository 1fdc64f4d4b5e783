//! The page of an evaluation: complete, bounded, and safe for any names.

use lookalike_report::{
    ClassResult, ClassesSummary, Decile, Evaluation, EvaluationReport, EvaluationRun, MethodResult,
    MethodTimes, SampleSummary, SeriesPlace, TruthSummary,
};

fn method(name: &str, value: &str) -> MethodResult {
    let decile = Decile {
        from: 0.9,
        pairs: 8,
        found: 4,
        recall: Some(0.5),
        low: Some(0.2),
        high: Some(0.8),
        expected: None,
    };
    MethodResult {
        method: name.into(),
        series: Some(SeriesPlace {
            series: "simhash:d=*@sketch".into(),
            parameter: "d".into(),
            value: value.into(),
        }),
        pairs: 5,
        true_pairs: 4,
        recall: Some(0.5),
        precision: Some(0.8),
        signed: 10,
        sketch_bytes: 80,
        deciles: vec![decile],
        theory: (0..=50).map(|step| f64::from(step) / 50.0).collect(),
        classes: Some(ClassResult { false_matches: 1234, ..ClassResult::default() }),
        ..MethodResult::default()
    }
}

fn evaluation() -> Evaluation {
    Evaluation {
        inputs: vec!["<script>alert(1)</script>.jsonl".into()],
        documents: 10,
        truth: TruthSummary {
            source: "exact".into(),
            pairs: 8,
            sample: Some(SampleSummary { documents: 5, seed: 1 }),
            classes: Some(ClassesSummary { spam: 3, legit: 4, cost: 100, ..Default::default() }),
            ..TruthSummary::default()
        },
        methods: vec![method("simhash:d=1@sketch", "1"), method("<b>\u{202e}evil", "2")],
        run: Some(EvaluationRun {
            command_line: "lookalike evaluate <x>".into(),
            methods: vec![MethodTimes { signing: 1.5, joining: 0.25 }; 2],
            ..EvaluationRun::default()
        }),
        ..Evaluation::default()
    }
}

fn page(evaluation: &Evaluation) -> String {
    EvaluationReport(evaluation).html().expect("the template renders whatever comes in")
}

#[test]
fn everything_is_on_the_page() {
    let html = page(&evaluation());
    for wanted in [
        "2 methods measured on 10 documents",
        "id=\"tradeoff\"",
        "id=\"series\"",
        "polyline class=\"theory\"",
        "class=\"whisker\"",
        "1,234",
        "1.5 s",
        "5 documents drawn at random (seed 1)",
        "similarity 0.9 to below 1.0: 4 of 8 pairs found (0.5000)",
    ] {
        assert!(html.contains(wanted), "{wanted}");
    }
    assert_eq!(html.matches("<svg").count(), html.matches("</svg>").count());
    assert_eq!(html.matches("<svg").count(), 4, "scatter, one series, two methods");
}

#[test]
fn names_do_not_act() {
    let html = page(&evaluation());
    assert!(
        !html.contains("<script") && !html.contains("<b>\u{202e}") && !html.contains('\u{202e}')
    );
    assert!(!html.contains("evaluate <x>"));
}

#[test]
fn the_page_is_bounded_and_nothing_is_no_failure() {
    let many = Evaluation {
        methods: (0..500).map(|at| method(&"m".repeat(5000), &at.to_string())).collect(),
        inputs: vec!["x".repeat(5000); 5000],
        ..evaluation()
    };
    assert!(page(&many).len() < 3_000_000);
    let nothing = page(&Evaluation::default());
    assert!(nothing.contains("no true pair") && !nothing.contains("NaN"));
}

#[test]
fn json_and_back() {
    let evaluation = evaluation();
    let json = evaluation.to_json().unwrap();
    assert_eq!(serde_json::from_str::<Evaluation>(&json).unwrap(), evaluation);
}
