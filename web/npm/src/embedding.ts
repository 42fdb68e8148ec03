// Vectors of meaning: from an embedding endpoint, or from a static model that the user opens.

import { ThroughlineError } from "./error.js";

/** Gives the vector of each text. */
export type Embed = (texts: string[]) => Promise<Float32Array[]>;

/** An endpoint that speaks as OpenAI's `/embeddings` does. */
export interface EmbeddingEndpoint {
  /** Its address, with `/embeddings`. */
  url: string;
  /** The model's name there. */
  model: string;
  /** The key; it stays in this function and is in no journal, export or error. */
  key?: string;
  /** How many texts one request holds at most; 64 when absent. */
  batch?: number;
  /** How many components are wanted, where the model can give fewer. */
  dimensions?: number;
}

/** Vectors from an endpoint. */
export function endpointEmbedder({ url, model, key, batch = 64, dimensions }: EmbeddingEndpoint): Embed {
  return async (texts) => {
    const out: Float32Array[] = [];
    for (let begin = 0; begin < texts.length; begin += batch) {
      const input = texts.slice(begin, begin + batch);
      const headers: Record<string, string> = { "content-type": "application/json" };
      if (key !== undefined) headers["authorization"] = `Bearer ${key}`;
      const body = JSON.stringify({ model, input, encoding_format: "float", ...(dimensions === undefined ? {} : { dimensions }) });
      let response: Response;
      try {
        response = await fetch(url, { method: "POST", headers, body });
      } catch (cause) {
        throw new ThroughlineError("not-reachable", `the embedding endpoint ${new URL(url).host} could not be reached`, {}, { cause });
      }
      if (!response.ok) throw new ThroughlineError("embedding-failed", `the embedding endpoint answered ${response.status}`);
      const { data } = (await response.json()) as { data?: { index?: number; embedding: number[] }[] };
      if (!Array.isArray(data) || data.length !== input.length) {
        throw new ThroughlineError("embedding-failed", `${input.length} texts were given, and ${data?.length ?? 0} vectors came back`);
      }
      const sorted = [...data].sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
      for (const { embedding } of sorted) out.push(Float32Array.from(embedding));
    }
    return out;
  };
}

interface Tensor {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

function half(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const size = exponent === 0 ? fraction * 2 ** -24 : exponent === 31 ? NaN : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}

/**
 * Vectors from a static model: a table with one row a token (safetensors, F32 or F16, as model2vec writes it), and
 * the `tokenizer.json` beside it (WordPiece or plain words). A text's vector is the mean of its tokens' rows.
 */
export function staticEmbedder(model: ArrayBuffer, tokenizer: string): Embed {
  const view = new DataView(model);
  const headerBytes = model.byteLength < 8 ? 0 : Number(view.getBigUint64(0, true));
  let header: Record<string, Tensor>;
  try {
    header = JSON.parse(new TextDecoder().decode(new Uint8Array(model, 8, headerBytes))) as Record<string, Tensor>;
  } catch (cause) {
    throw new ThroughlineError("bad-model", "this is no safetensors file", {}, { cause });
  }
  const found = Object.entries(header).find(([name, tensor]) => name !== "__metadata__" && tensor.shape?.length === 2);
  if (found === undefined) throw new ThroughlineError("bad-model", "the file holds no table of vectors");
  const [, { dtype, shape, data_offsets }] = found;
  const [rows, size] = shape as [number, number];
  const width = dtype === "F32" ? 4 : dtype === "F16" ? 2 : 0;
  const begin = 8 + headerBytes + data_offsets[0];
  if (width === 0 || begin + rows * size * width > model.byteLength) {
    throw new ThroughlineError("bad-model", `a table of ${dtype} is not read, or it is cut off`);
  }
  const parsed = JSON.parse(tokenizer) as {
    model?: { vocab?: Record<string, number>; unk_token?: string; continuing_subword_prefix?: string };
    normalizer?: { lowercase?: boolean } | null;
  };
  const vocab = new Map(Object.entries(parsed.model?.vocab ?? {}));
  if (vocab.size === 0) throw new ThroughlineError("bad-model", "the tokenizer has no vocabulary");
  const prefix = parsed.model?.continuing_subword_prefix ?? "##";
  const lower = parsed.normalizer?.lowercase !== false;
  const add = (sum: Float32Array, row: number): void => {
    for (let i = 0; i < size; i += 1) {
      const at = begin + (row * size + i) * width;
      sum[i] = (sum[i] as number) + (width === 4 ? view.getFloat32(at, true) : half(view.getUint16(at, true)));
    }
  };
  const one = (text: string): Float32Array => {
    const sum = new Float32Array(size);
    let count = 0;
    const words = (lower ? text.toLowerCase() : text).match(/\p{Script=Han}|[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}]/gu) ?? [];
    for (const word of words) {
      // The longest piece of the vocabulary first; a word with a piece that is not in it counts for nothing.
      const pieces: number[] = [];
      for (let from = 0; from < word.length; ) {
        let to = word.length;
        let row: number | undefined;
        while (to > from && (row = vocab.get((from > 0 ? prefix : "") + word.slice(from, to))) === undefined) to -= 1;
        if (row === undefined || row >= rows) {
          pieces.length = 0;
          break;
        }
        pieces.push(row);
        from = to;
      }
      for (const row of pieces) add(sum, row);
      count += pieces.length;
    }
    if (count > 0) for (let i = 0; i < size; i += 1) sum[i] = (sum[i] as number) / count;
    return sum;
  };
  return async (texts) => texts.map(one);
}
