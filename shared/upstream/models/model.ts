import { asCount, isObject, type JsonObject, asArray, asObject, asNonEmptyString } from '../http/json.ts';

/** US dollars per token (image, request) as the server's decimal strings. Absent means unknown, not free. */
export type Pricing = {
  readonly prompt?: string | undefined;
  readonly completion?: string | undefined;
  readonly image?: string | undefined;
  readonly request?: string | undefined;
  readonly inputCacheRead?: string | undefined;
};

/** A model of the list. Many servers give little more than the id; absent means unknown. */
export type Model = {
  /** The value of `model` in requests. */
  readonly id: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly ownedBy?: string | undefined;
  /** Unix seconds. */
  readonly created?: number | undefined;
  readonly huggingFaceId?: string | undefined;
  /** Such as `text`, `image`, `video`. */
  readonly inputModalities?: readonly string[] | undefined;
  readonly outputModalities?: readonly string[] | undefined;
  /** Tokens of input and output together. */
  readonly contextLength?: number | undefined;
  /** Tokens of output. */
  readonly maxOutputLength?: number | undefined;
  readonly pricing?: Pricing | undefined;
  /** Names as on the wire: `top_k`, `seed` … */
  readonly samplingParameters?: readonly string[] | undefined;
  /** Such as `tools`, `structured_outputs`, `reasoning`, `logprobs`, `streaming`. */
  readonly features?: readonly string[] | undefined;
  /** False only when the server says so. */
  readonly ready: boolean;
  /** Set if the server announces that it will switch the model off. */
  readonly retirement?: Retirement | undefined;
};

/** When a model is switched off, and what the provider recommends instead. */
export type Retirement = {
  /** ms since 1970. */
  readonly at: number;
  /** A model id. */
  readonly replacement?: string | undefined;
};

/** Parses a model list. Skips items without an id. Undefined when the body is not a list. An Ollama without models sends `data: null`. */
export function parseModels(body: unknown): Model[] | undefined {
  const { object, data } = asObject(body) ?? {};
  if (object === 'list' && data === null) return [];
  const items = Array.isArray(body) ? body : data;
  return Array.isArray(items) ? items.flatMap((item) => parseModel(item) ?? []) : undefined;
}

function parseModel(item: unknown): Model | undefined {
  if (!isObject(item)) return undefined;
  const id = asNonEmptyString(item['id']);
  if (id === undefined) return undefined;
  // OpenRouter has what a model takes in under `architecture`, and all that it supports in one list.
  const architecture = asObject(item['architecture']) ?? {};
  const parameters = parseStrings(item['supported_parameters']);
  return {
    id,
    name: asNonEmptyString(item['name']),
    description: asNonEmptyString(item['description']),
    ownedBy: asNonEmptyString(item['owned_by']),
    created: asCount(item['created']),
    huggingFaceId: asNonEmptyString(item['hugging_face_id']),
    inputModalities: parseStrings(item['input_modalities'] ?? architecture['input_modalities']),
    outputModalities: parseStrings(item['output_modalities'] ?? architecture['output_modalities']),
    contextLength: readCount(item, CONTEXT_FIELDS),
    maxOutputLength:
      readCount(item, OUTPUT_FIELDS) ?? readCount(asObject(item['top_provider']) ?? {}, OUTPUT_FIELDS),
    pricing: isObject(item['pricing']) ? parsePricing(item['pricing']) : undefined,
    samplingParameters: parseStrings(item['supported_sampling_parameters']) ?? parameters,
    features: parseStrings(item['supported_features']) ?? parameters?.filter((name) => FEATURES.has(name)),
    ready: item['is_ready'] !== false,
    retirement: parseRetirement(item),
  };
}

/** The names in `supported_parameters` that are features. */
const FEATURES: ReadonlySet<string> = new Set(['tools', 'structured_outputs', 'reasoning', 'logprobs']);

/** The interface's name first, then those of vLLM and SGLang, Groq, and Mistral. */
const CONTEXT_FIELDS = ['context_length', 'max_model_len', 'context_window', 'max_context_length'] as const;
/** The interface's name, then that of Groq. */
const OUTPUT_FIELDS = ['max_output_length', 'max_completion_tokens'] as const;

/** Returns the first of these fields that holds a number. A length of 0 is unknown. */
const readCount = (item: JsonObject, names: readonly string[]): number | undefined =>
  names.map((name) => asCount(item[name])).find((count) => count !== undefined && count > 0);

/**
 * Servers announce the end of a model under different names, as a date or a date and time: `shutdown_date` (OpenAI),
 * `expiration_date` (OpenRouter), `deprecation` with `deprecation_replacement_model` (Mistral). Undefined for none, or for
 * anything that is no date.
 */
function parseRetirement(item: JsonObject): Retirement | undefined {
  for (const name of ['shutdown_date', 'expiration_date', 'deprecation']) {
    const at = Date.parse(asNonEmptyString(item[name]) ?? '');
    if (Number.isFinite(at)) {
      return { at, replacement: asNonEmptyString(item['deprecation_replacement_model']) };
    }
  }
  return undefined;
}

function parseStrings(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? asArray(value).filter((word) => typeof word === 'string') : undefined;
}

function parsePricing(pricing: JsonObject): Pricing {
  return {
    prompt: asNonEmptyString(pricing['prompt']),
    completion: asNonEmptyString(pricing['completion']),
    image: asNonEmptyString(pricing['image']),
    request: asNonEmptyString(pricing['request']),
    inputCacheRead: asNonEmptyString(pricing['input_cache_read']),
  };
}
