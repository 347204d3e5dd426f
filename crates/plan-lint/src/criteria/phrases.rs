//! The phrases, in English, one line per kind. `tests/corpus/` has examples that each must match
//! and must not match.

use super::evidence;
use super::vague::VaguePhrases;

/// Abbreviations in the phrases below.
pub(super) const PARTS: [(&str, &str); 4] = [
    // The end of a clause.
    ("<end>", r"(?:\s*(?:[.!,;]|\band\b|$))"),
    // The end of the criterion.
    ("<close>", r"[.!]?$"),
    ("<be>", r"\b(?:is|are|be|has been|have been)"),
    // The text before an adjective that is the whole claim.
    (
        "<seem>",
        r"\b(?:is|are|be|being|feels?|looks?|seems?|stays?|remains?|runs?|loads?|works?|responds?|renders?|very|really|super|as) (?:very |really |always |more |fully |completely |also |all |both |generally |reasonably |sufficiently |visually )*",
    ),
];

pub(super) const PHRASES: [VaguePhrases; 10] = [
    // The outcome.
    VaguePhrases {
        fix: "State what a reviewer does and sees, such as \"the filter offers All, Active and \
              Done\".",
        is_explained: evidence::is_explained,
        phrases: &[
            r"\b(?:work|function|behave|operate|perform|run|render|display|load|look)(?:s|ed|ing)? (?:correctly|properly|well|fine|perfectly|seamlessly|smoothly|flawlessly|reliably|great|nicely|ok|okay|right|appropriately|normally)\b",
            r"\b(?:still |now |all |just )?works?(?: (?:too|again|now|everywhere|end[- ]to[- ]end))?<close>",
            r"\bworks? (?:for|with|in|on|across) (?:all|every|any|most|different|various|multiple|other|large|big) \w+(?: \w+)?<close>",
            r"\bas (?:expected|intended|designed|desired|required|specified|usual|before|(?:it|they) should)\b",
            r"\b(?:correctly|properly|appropriately|successfully|seamlessly|flawlessly|smoothly|reliably|accurately|cleanly|consistently|intelligently)<close>",
            r"\b(?:is|are) (?:fully |all |now )?(?:correct|right|good|fine|ok|okay|functional|working|operational|ready|done|finished|complete|completed|implemented|integrated|in place)<close>",
            r"\b(?:fully functional|bug[- ]free|no (?:known )?(?:bugs|issues|problems)|everything works|it works)\b",
            r"\bwithout (?:any )?(?:issues|problems|bugs|trouble)\b",
            r"\b(?:nothing|no (?:existing )?functionality) (?:is|gets|was) broken\b",
            r"\b(?:does not|doesn't|must not|never) breaks? (?:anything|existing functionality)\b",
            r"\b(?:quality|standard|usability|stability) (?:is|are) (?:\w+ )?high\b",
            r"\bsupports? (?:all|different|various|multiple|many) \w+(?: \w+)?<close>",
            r"\bfix(?:es)? (?:all |any |the )?(?:bugs|issues|problems)\b",
            r"^(?:implement|complete|finish|support|make sure (?:that )?(?:it|everything)|ensure) (?:the |a |all )?(?:\w+ ){0,2}(?:feature|functionality|story|task|logic|requirements?|quality|correctness|works?)<close>",
            r"\b(?:all|the) requirements (?:are|have been) (?:met|fulfilled|satisfied|implemented)\b",
            r"\b(?:meets|fulfils|fulfills|satisfies) (?:all |the )*(?:requirements|expectations|needs|specification|acceptance criteria|criteria)\b",
        ],
    },
    // Speed.
    VaguePhrases {
        fix: "State a number and the conditions, such as \"answers in 200 ms with 10 000 rows\".",
        is_explained: evidence::is_measured_or_explained,
        phrases: &[
            r"\b(?:quickly|efficiently|performantly|swiftly|in a timely manner|in (?:a )?reasonable time)\b",
            r"\b(?:(?:good|great|high|acceptable|decent|better|improved|optimal) performance|low latency)\b",
            r"\b(?:no|without)(?: any)? (?:noticeable|visible|perceptible) (?:delay|lag|slowdown)s?\b",
            r"\b(?:scales? (?:well|easily)|performs? well|improves? performance)\b",
            r"\b(?:high|heavy|large) (?:load|loads|traffic|volumes?|amounts? of \w+|datasets?)<close>",
            r"<seem>(?:fast|quick|performant|efficient|scalable|snappy|lightweight|optimi[sz]ed|lag[- ]free)\b<end>",
            r"\b(?:starts?|returns?|executes?) (?:very |really |super )?fast<end>",
        ],
    },
    // Taste.
    VaguePhrases {
        fix: "State what is on the screen, and what each click or key does.",
        is_explained: evidence::is_explained,
        phrases: &[
            r"\b(?:user|developer)[- ]?friendly\b|\bintuitive(?:ly)?\b",
            r"\beasy[- ]to[- ](?:use|understand|read|follow|navigate|maintain|extend|change|test)\b",
            r"\beasily (?:readable|usable|understandable)\b",
            r"<seem>(?:nice|pretty|beautiful|modern|attractive|appealing|professional|polished|elegant|simple|easy|usable|consistent|responsive|clear|self[- ]explanatory|aesthetic|engaging|helpful|meaningful|informative|smooth|seamless|convenient)\b<end>",
            r"<seem>(?:flexible|great|acceptable|reasonable|adequate|sufficient|appropriate|relevant|comprehensive|natural|happy|satisfied|self[- ]documenting|excellent|decent|sensible|accurate|extensible|clean and \w+)\b<end>",
            r"\blooks? (?:good|nice|great|right|professional|modern|clean)\b",
            r"\b(?:clean|nice|modern|good|beautiful|polished|sleek) (?:ui|ux|design|look|interface|layout|user experience|styling)\b",
            r"\b(?:good|great|better|nice|smooth|seamless) (?:user )?experience\b",
            r"\b(?:visually appealing|pixel[- ]perfect)\b",
        ],
    },
    // Errors.
    VaguePhrases {
        fix: "State each failure and its result, such as \"an unknown id answers 404\".",
        is_explained: evidence::is_explained,
        phrases: &[
            r"\bhandl(?:e|es|ed|ing) (?:\w+ ){0,3}?(?:errors?|exceptions?|failures?|edge[- ]cases?|corner[- ]cases?|problems|issues|inputs?|everything|situations|cases)<end>",
            r"\b(?:errors?|exceptions?|failures?|edge[- ]cases?|corner[- ]cases?|input|cases|states)(?: and \w+)? (?:is|are|get) (?:all |properly |correctly |gracefully |well )*(?:handled|covered|considered|caught|dealt with|managed|validated|tested)<end>",
            r"\b(?:proper|good|appropriate|robust|adequate|correct|graceful|comprehensive|sufficient) (?:error|exception|input|failure|edge[- ]case) ?(?:handling|validation|messages?|checking)\b",
            r"\b(?:gracefully|robustly)<end>|\bhandl(?:e|es|ed) \w+ ?\w* gracefully\b",
            r"<seem>(?:robust|resilient|fault[- ]tolerant|reliable|foolproof)\b<end>",
            r"\b(?:never|does not|doesn't|do not|don't|must not|should not|won't) (?:crash(?:es)?|fails?|breaks?)<close>",
        ],
    },
    // Craft.
    VaguePhrases {
        fix: "Name a check that can fail, such as a linter without warnings on the new files.",
        is_explained: evidence::is_explained,
        phrases: &[
            r"\b(?:clean|readable|maintainable|good|well[- ](?:structured|written|organi[sz]ed)|idiomatic|quality|elegant|modular|reusable) (?:code|architecture|structure|codebase|implementation|solution)\b",
            r"\b(?:code|implementation|architecture|module|codebase|component|solution|structure|function|class|design|api|script)s? (?:is|are) (?:\w+ )?(?:clean|readable|maintainable|well[- ]\w+|idiomatic|elegant|modular|reusable|tidy|good|refactored|documented|commented|understandable|generic|dry|solid)<end>",
            r"\b(?:best|good)[- ]practi[cs]es?\b|\bindustry standards?\b",
            r"\b(?:proper|good|adequate|appropriate|sufficient|decent) \w+ <be> (?:added|implemented|used|provided|shown|done|there|available)<end>",
            r"\b(?:is|are) (?:well|properly|fully|adequately|sufficiently|thoroughly) (?:documented|commented|structured|organi[sz]ed|designed|formatted|typed|factored|optimi[sz]ed)<end>",
            r"\b(?:production[- ](?:ready|grade|quality)|future[- ]proof|high[- ]quality)\b",
        ],
    },
    // Security.
    VaguePhrases {
        fix: "State the attack and its result, such as \"a token of another user answers 403\".",
        is_explained: evidence::is_explained,
        phrases: &[
            r"<be> (?:\w+ )?(?-i:secure)<end>|\b(?:is|are) well[- ]protected\b",
            r"\b(?:securely|safely)<close>",
            r"\b(?:good|proper|adequate|appropriate|strong) (?:security|protection)\b",
            r"\bsecurity <be> (?:\w+ )?(?:considered|ensured|taken care of|improved|good)\b",
        ],
    },
    // Tests.
    VaguePhrases {
        fix: "Name the cases that the tests check; verifyCommands ensure that they pass.",
        is_explained: |_, _| false,
        phrases: &[
            r"^(?:all |the |unit |integration |existing |new |e2e |automated |and |relevant |appropriate |necessary |some |good |more |sufficient |there are |includes? |has |have |write |add |with )*tests?(?: (?:pass(?:es)?|are (?:green|passing|written|added|there|included|in place|updated)|exist|added|written|included|coverage|succeed|run))?<close>",
            r"\b(?:well|fully|thoroughly|properly|adequately|sufficiently|comprehensively)[- ]tested\b",
            r"\b(?:good|high|sufficient|adequate|decent|proper|full|great|appropriate|reasonable) (?:unit |test |code )*(?:test|coverage|tests)\b(?: coverage)?<end>",
            r"^(?:\w+ ){1,4}<be> (?:covered by (?:unit )?tests|tested|unit[- ]tested)<close>",
            r"\bcomprehensive (?:unit )?tests?(?: suite| coverage)?<end>",
        ],
    },
    // An open end.
    VaguePhrases {
        fix: "List all of them; reviews check only what is listed.",
        is_explained: |_, _| false,
        phrases: &[
            r"(?:^|[\s,;(])etc(?:[.,;:!?)\s]|$)|\band so (?:on|forth)\b|\bamong others\b|\band (?:much|many) more\b",
            r"\band (?:more|others|similar|the like)<close>",
            r"\bor (?:similar|whatever|something like that)\b",
        ],
    },
    // A hedge.
    VaguePhrases {
        fix: "State when it applies, or remove it.",
        is_explained: evidence::is_explained,
        phrases: &[
            r"\b(?:if|where|when|as|wherever|whenever) (?:it (?:is|makes) )?(?:needed|necessary|appropriate|possible|applicable|required|sense|sensible|feasible|useful)<end>",
            r"\b(?:some (?:kind|sort) of|ideally|preferably|hopefully|nice to have|should probably|might want|to some extent|more or less|or so)\b",
            r"\bas (?:much|few|little|many|fast|soon|small|simple) as possible\b",
            r"\b(?:sensible|reasonable|sane|suitable|useful|helpful|meaningful|adequate|sufficient|relevant|necessary|required|appropriate|proper|correct) (?:\w+ )?(?:defaults?|behaviou?rs?|values?|information|details|data|fields|feedback|messages?|limits?|amounts?|changes|results?|outputs?|states?|updates|things|formats?|places?|options?|entries|content)<end>",
        ],
    },
    // A comparison.
    VaguePhrases {
        fix: "State what is measured, and the required value.",
        is_explained: evidence::is_explained,
        phrases: &[
            r"\b(?:is|are|has been|have been|gets?|be) (?:\w+ )?(?:improved|enhanced|optimi[sz]ed|better|faster|simplified|cleaned up|polished|streamlined|more (?:\w+))<end>",
            r"^(?:improve|enhance|optimi[sz]e|polish|clean up|refactor|streamline|simplify|modernize|beautify) (?:\w+ ){0,4}\w+<close>",
        ],
    },
];
