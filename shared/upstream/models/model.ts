import { countOf, isObject, type JsonObject, listOf, objectOf, stringOf } from '../http/json.ts';

/** US dollars per token (per image, per request) as the server's decimal strings; absent is unknown, not free. */
export type Pricing = {
  readonly prompt?: string | undefined;
  readonly completion?: string | undefined;
  readonly image?: string | undefined;
  readonly request?: string | undefined;
  readonly inputCacheRead?: string | undefined;
};

/** A model of the list. Servers other than the documented one give little more than the id; absent means unknown. */
export type Model = {
  /** The value to ask for. */
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
};

/** The models of a list's body. Items without an id are passed over; undefined when it is no list. */
export function modelsOf(body: unknown): Model[] | undefined {
  const items = Array.isArray(body) ? body : objectOf(body)?.['data'];
  return Array.isArray(items) ? items.flatMap((item) => modelOf(item) ?? []) : undefined;
}

function modelOf(item: unknown): Model | undefined {
  if (!isObject(item)) return undefined;
  const id = stringOf(item['id']);
  if (id === undefined) return undefined;
  return {
    id,
    name: stringOf(item['name']),
    description: stringOf(item['description']),
    ownedBy: stringOf(item['owned_by']),
    created: countOf(item['created']),
    huggingFaceId: stringOf(item['hugging_face_id']),
    inputModalities: wordsOf(item['input_modalities']),
    outputModalities: wordsOf(item['output_modalities']),
    contextLength: countOf(item['context_length']),
    maxOutputLength: countOf(item['max_output_length']),
    pricing: isObject(item['pricing']) ? pricingOf(item['pricing']) : undefined,
    samplingParameters: wordsOf(item['supported_sampling_parameters']),
    features: wordsOf(item['supported_features']),
    ready: item['is_ready'] !== false,
  };
}

function wordsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? listOf(value).filter((word) => typeof word === 'string') : undefined;
}

function pricingOf(pricing: JsonObject): Pricing {
  return {
    prompt: stringOf(pricing['prompt']),
    completion: stringOf(pricing['completion']),
    image: stringOf(pricing['image']),
    request: stringOf(pricing['request']),
    inputCacheRead: stringOf(pricing['input_cache_read']),
  };
}
