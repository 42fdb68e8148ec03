// The small business that the measurements talk about, and a model that answers at once.

export const domain = (facts = {}) => ({
  name: "rooms",
  version: "1",
  languages: ["en"],
  facts: { wish: { value: { type: "text" } }, ...facts },
  intents: {
    note: { description: { en: "The user says what they wish for" }, keywords: ["like"], answer: "noted" },
  },
  answers: { noted: { template: { en: "Noted: {{ facts.wish }}." } } },
  agent: { instructions: { en: "You take down wishes." }, confidence: 0.5, retries: 1, prompt_budget: 2_000 },
});

let asked = 0;

/** What stands for the model: it understands every message alike, each time with another room. */
export const model = () => {
  asked += 1;
  return { intent: "note", confidence: 0.9, entities: [], facts: [{ key: "wish", value: `room ${asked % 40}` }] };
};
