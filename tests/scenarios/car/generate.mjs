// node tests/scenarios/car/generate.mjs
//
// Writes the long demo: the questions of eighty turns, the recorded replies of a model that forgets what it was told
// on turn three, and the scenarios that play them. Everything here is data; the same data whenever it is written.

import { readFileSync, writeFileSync } from "node:fs";

const here = (path) => new URL(path, import.meta.url);
const write = (path, text) => writeFileSync(here(path), text);
const DEMO = "../../../web/demos/car/";
const CLOCK = 1772675400000;
const TURNS = 80;

const cars = [
  ["Marlin City", "马林城市", 14900, false, 5, 310],
  ["Corvo Wagon", "科沃旅行", 18400, false, 5, 560],
  ["Tarn Compact", "塔恩小车", 12750, false, 4, 280],
  ["Brisa Van", "布里萨商务", 19800, false, 7, 890],
  ["Aster Sedan", "阿斯特轿车", 17250, false, 5, 430],
  ["Lumen Hybrid", "流明混动", 19500, true, 5, 380],
  ["Solis Hybrid", "索利斯混动", 23400, true, 5, 450],
  ["Kestrel Touring", "红隼旅行", 26900, false, 5, 540],
];
const setup = cars.map(([raw_id, alias, price, hybrid, seats, boot]) => ({
  type: "register_entity",
  entity_type: "car",
  raw_id,
  aliases: [alias],
  fields: { price, hybrid, seats, boot },
}));

// What a car is wanted for: with the kind of the turn it makes each question another one.
const uses = {
  en: ["in the city", "on long trips", "with the dog", "in winter", "with my parents", "for camping", "on school runs",
    "when we move house", "on the coast road", "at night", "in the mountains", "with two bicycles", "every day"],
  zh: ["市区里", "长途上", "带狗时", "冬天里", "带父母时", "露营时", "接送孩子时", "搬家时", "海边公路上", "夜间", "山路上",
    "装自行车时", "每天"],
};

// The first three turns, then six kinds of turns that come again and again. `mark` is what the cassette looks for.
const words = {
  en: {
    opening: ["I need a car with five seats.", "The colour should be blue.", "My budget is 20,000 at most, and no hybrids."],
    kinds: [
      { mark: "Show me something good", ask: (use) => `Show me something good ${use}.` },
      { mark: "what is my limit again", ask: (use) => `We will use it ${use}: what is my limit again?` },
      { mark: "Is there a better one", ask: (use) => `Is there a better one ${use}?` },
      { mark: "my old car counts for", ask: (use, n) => `We use it ${use}, and my old car counts for ${n}.` },
      { mark: "what would you say", ask: (use) => `And what would you say ${use}?` },
      { mark: "Let me try it", ask: (use) => `Let me try it ${use}.` },
    ],
    bad: {
      limit: ["Your budget is 3,000, so let us look further.", "The Kestrel Touring for 26,900 would be worth it."],
      better: ["The Solis Hybrid for 23,400 is the better car, really."],
      say: ["A hybrid would save you the most.", "I would take the Lumen Hybrid for 19,500.", "Then the Kestrel Touring, it is only $26,900."],
    },
    good: {
      wishes: "I have noted that.",
      limit: "Your budget is 20,000, and no hybrids.",
      show: (car, price) => `The ${car} for ${price} fits what you told me.`,
      drive: (car) => `You can try the ${car}.`,
      old: "I have noted what your old car counts for.",
    },
  },
  zh: {
    opening: ["我需要一辆五座的车。", "颜色要蓝色。", "预算最多20,000，不要混动。"],
    kinds: [
      { mark: "请推荐一辆好车", ask: (use) => `${use}用，请推荐一辆好车。` },
      { mark: "我的上限是多少来着", ask: (use) => `主要是${use}用：我的上限是多少来着？` },
      { mark: "有没有更适合的", ask: (use) => `${use}有没有更适合的？` },
      { mark: "我的旧车现在算", ask: (use, n) => `${use}用，我的旧车现在算${n}。` },
      { mark: "你怎么看", ask: (use) => `那${use}你怎么看？` },
      { mark: "让我试驾一下", ask: (use) => `${use}，让我试驾一下。` },
    ],
    bad: {
      limit: ["您的预算是3,000，我们再看看。", "26,900的红隼旅行很值得。"],
      better: ["23,400的索利斯混动确实更好。"],
      say: ["混动最省钱。", "我会选流明混动，19,500。", "那就红隼旅行，只要26,900元。"],
    },
    good: {
      wishes: "已经记下。",
      limit: "您的预算是20,000，不要混动。",
      show: (car, price) => `${car}，价格${price}，符合您的要求。`,
      drive: (car) => `您可以试驾${car}。`,
      old: "旧车的折价已经记下。",
    },
  },
};

const thousands = (n) => String(n).replace(/(?<=\d)(?=(\d{3})+$)/g, ",");

/** The question of a turn from 1. */
function question(language, turn) {
  const { opening, kinds } = words[language];
  if (turn <= opening.length) return opening[turn - 1];
  const place = turn - opening.length - 1;
  const round = Math.floor(place / kinds.length);
  return kinds[place % kinds.length].ask(uses[language][round % uses[language].length], thousands(3000 + 100 * round));
}

/** The replies, in the order in which turns of a kind take them. */
function cassette(language) {
  const { opening, kinds, bad, good } = words[language];
  const lines = [];
  const entry = (purpose, mark, reply) => lines.push({ match: { purpose, language, contains: [mark] }, reply });
  const interpret = (mark, intent, facts = []) =>
    entry("interpret", mark, { intent, confidence: 0.95, entities: [], facts });
  const say = (mark, text) => entry("respond", mark, { text });
  const propose = (mark, action, car) => entry("decide", mark, { action, args: { car }, reason: "it fits" });
  const named = (car) => (language === "zh" ? cars.find(([name]) => name === car)[1] : car);
  const price = (car) => thousands(cars.find(([name]) => name === car)[2]);

  interpret(opening[0], "wishes", [{ key: "seats_needed", value: 5 }]);
  interpret(opening[1], "wishes", [{ key: "colour", value: "blue" }]);
  interpret(opening[2], "wishes", [{ key: "budget_max", value: 20000 }, { key: "hybrids_wanted", value: false }]);
  for (const line of opening) say(line, good.wishes);

  const [show, limit, better, old, opinion, drive] = kinds.map(({ mark }) => mark);
  interpret(show, "find");
  interpret(limit, "ask");
  interpret(better, "find");
  interpret(opinion, "ask");
  interpret(drive, "drive");
  for (let round = 0; round * kinds.length < TURNS; round++) {
    const n = 3000 + 100 * round;
    interpret(`${old}${language === "en" ? " " : ""}${thousands(n)}`, "wishes", [{ key: "trade_in", value: n }]);
  }
  // A hybrid, or a car that is too dear, is proposed first each time.
  for (const [wrong, right] of [["Lumen Hybrid", "Corvo Wagon"], ["Solis Hybrid", "Aster Sedan"]]) {
    propose(show, "offer_car", wrong);
    propose(show, "offer_car", right);
    say(show, good.show(named(right), price(right)));
  }
  for (const text of [...bad.limit, good.limit]) say(limit, text);
  for (const [wrong, right] of [["Kestrel Touring", "Brisa Van"], ["Kestrel Touring", "Marlin City"]]) {
    propose(better, "offer_car", wrong);
    propose(better, "offer_car", right);
    for (const text of bad.better) say(better, text);
    say(better, good.show(named(right), price(right)));
  }
  say(old, good.old);
  for (const text of bad.say) say(opinion, text);
  for (const [wrong, right] of [["Solis Hybrid", "Marlin City"], ["Lumen Hybrid", "Brisa Van"]]) {
    propose(drive, "book_drive", wrong);
    propose(drive, "book_drive", right);
    say(drive, good.drive(named(right)));
  }
  return lines;
}

const json = (value) => `${JSON.stringify(value, null, 2)}\n`;
const lines = ["en", "zh"].flatMap(cassette);
write(`${DEMO}cassette.jsonl`, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));

const all = (language) => Array.from({ length: TURNS }, (_, index) => question(language, index + 1));
const description = {
  en: "Turn three says: 20,000 at most, no hybrids. The recorded model forgets it again and again, in proposals and in words; the constraints do not. Ask the first three, then any of the others as often as you like.",
  zh: "第三轮说：最多 20,000，不要混动。录制的模型在提案和话语中一再忘记；约束不会忘。先问前三句，再任意提问。",
};
const title = { en: "Eighty turns to a car", zh: "八十轮买车" };
write(`${DEMO}demo.json`, json({
  title,
  description,
  clock: CLOCK,
  domain: "domain.json",
  documents: [],
  cassette: "cassette.jsonl",
  setup,
  questions: { en: all("en").slice(0, 21), zh: all("zh").slice(0, 21) },
  steps: [],
}));

// The control: the same rules without the constraints.
const domain = JSON.parse(readFileSync(here(`${DEMO}domain.json`), "utf8"));
write("domain-without-constraints.json", json({ ...domain, constraints: [] }));

const records = (kinds, more) => ({ query: { type: "records", kinds, limit: 10000 }, ...more });
function scenario(name, language, rules, turns, checks) {
  const steps = setup.map((command) => ({ do: command }));
  all(language).slice(0, turns).forEach((text, index) => {
    steps.push({ do: { type: "begin_turn", text, language }, expect: { turn: index + 1 } });
  });
  return `${JSON.stringify({ name, domain: rules, cassette: `../../web/demos/car/cassette.jsonl`, clock: CLOCK, steps: [...steps, ...checks] })
    .replaceAll('{"do"', '\n{"do"').replaceAll('{"query"', '\n{"query"')}\n`;
}

const over = ["Kestrel Touring", "Solis Hybrid", "Lumen Hybrid", "红隼旅行", "索利斯混动", "流明混动"];
for (const [language, name, file] of [
  ["en", "Eighty turns keep what turn three said", "../eighty-turns-keep-what-turn-three-said.json"],
  ["zh", "Eighty turns in Chinese keep what turn three said", "../eighty-turns-in-chinese-keep-what-turn-three-said.json"],
]) {
  write(file, scenario(name, language, "../../web/demos/car/domain.json", TURNS, [
    { query: { type: "metrics" }, at: "/turns/answered", equals: TURNS },
    { query: { type: "metrics" }, at: "/rows", count: TURNS },
    { query: { type: "facts", key: "budget_max" }, at: "/facts/0/value", equals: 20000 },
    { query: { type: "facts", key: "hybrids_wanted" }, at: "/facts/0/value", equals: false },
    ...over.map((car) => records(["turn.answered"], { lacks: { records: [{ data: { text: car } }] } })),
    ...over.slice(0, 3).map((car) => records(["fact.asserted"], { lacks: { records: [{ data: { key: "offered", value: car } }] } })),
    ...over.slice(0, 3).map((car) => records(["fact.asserted"], { lacks: { records: [{ data: { key: "test_drive", value: car } }] } })),
    records(["proposal.refused"], { contains: { records: [{ data: { purpose: "decide", message: "no_hybrids" } }] } }),
    records(["proposal.refused"], { contains: { records: [{ data: { purpose: "decide", message: "within_budget" } }] } }),
    records(["proposal.refused"], { contains: { records: [{ data: { purpose: "respond", message: "no_hybrids" } }] } }),
    records(["proposal.refused"], { contains: { records: [{ data: { purpose: "respond", message: "within_budget" } }] } }),
    records(["proposal.refused"], { contains: { records: [{ turn: 80 }] } }),
    records(["command.refused"], { at: "/records", count: 0 }),
  ]));
}
write("../without-constraints-the-same-cassette-passes.json", scenario(
  "Without constraints the same cassette passes", "en", "car/domain-without-constraints.json", 20, [
    records(["fact.asserted"], { contains: { records: [{ data: { key: "offered", value: "Lumen Hybrid" } }] } }),
    records(["fact.asserted"], { contains: { records: [{ data: { key: "offered", value: "Kestrel Touring" } }] } }),
    records(["turn.answered"], { contains: { records: [{ data: { text: "Solis Hybrid" } }] } }),
    records(["turn.answered"], { contains: { records: [{ data: { text: "A hybrid would save you the most." } }] } }),
    records(["proposal.refused"], { lacks: { records: [{ data: { purpose: "decide" } }] } }),
  ],
));
console.log(`${lines.length} recorded replies, ${TURNS} turns in two languages`);
