// What passes between a page and its worker. The texts are those of the session protocol.

/** From the page to the worker. */
export type ToWorker =
  | { kind: "request"; id: number; text: string }
  | { kind: "result"; text: string }
  | { kind: "list"; id: number }
  | { kind: "remove"; id: number; storage: string; name: string };

/** From the worker to the page. */
export type FromWorker =
  | { kind: "response"; id: number; text: string }
  | { kind: "push"; text: string }
  | { kind: "failed"; id: number; message: string }
  | { kind: "crashed"; message: string };
