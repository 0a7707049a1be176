import type { ChatRequest, ContentPart } from '../chat-types.ts';
import { addJsonInstruction } from '../json-prompt.ts';
import { BadRequestError } from '../errors.ts';
import type { Model } from './model.ts';

/** A request adapted to a model, and the names (as on the wire) of the fields left out. */
export type FittedRequest = { readonly request: ChatRequest; readonly omitted: readonly string[] };

const SAMPLING_FIELDS = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  minP: 'min_p',
  repetitionPenalty: 'repetition_penalty',
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  logitBias: 'logit_bias',
  seed: 'seed',
} as const satisfies Partial<Record<keyof ChatRequest, string>>;
/** Fields that a request can do without. */
const FIELDS = { ...SAMPLING_FIELDS, reasoningEffort: 'reasoning_effort', n: 'n' } as const;
const SAMPLING_NAMES = Object.values(SAMPLING_FIELDS);

/**
 * Leaves out what the model does not support, if the model list says so: sampling parameters, tools, log probabilities, the reasoning effort.
 * Without support for JSON schemas, an instruction replaces the schema; with it, a schema of any object replaces
 * `json_object`, which not every model accepts and no list mentions. Throws BadRequestError (`unsupported_modality`) for
 * unsupported media, because leaving them out would change the question.
 */
export function fitRequest(request: ChatRequest, model: Model): FittedRequest {
  const unsupported = findUnsupportedModality(request, model);
  if (unsupported !== undefined) {
    throw new BadRequestError(`The model ${model.id} does not support ${unsupported}.`, {
      code: 'unsupported_modality',
      param: 'messages',
    });
  }
  const { samplingParameters } = model;
  const unlisted = SAMPLING_NAMES.filter((name) => samplingParameters?.includes(name) === false);
  const features: readonly string[] = [
    ...(lacksFeature(model, 'tools') ? ['tools'] : []),
    ...(lacksFeature(model, 'logprobs') ? ['logprobs'] : []),
    ...(lacksFeature(model, 'reasoning') ? ['reasoning_effort'] : []),
    ...(lacksFeature(model, 'structured_outputs') ? ['response_format'] : []),
  ];
  const hasSchemas = model.features?.includes('structured_outputs') === true;
  return omitFields(hasSchemas ? withSchemaForJson(request) : request, [...unlisted, ...features]);
}

/** Leaves out these fields, named as on the wire. Fields that are absent or cannot be left out are not listed. */
export function omitFields(request: ChatRequest, names: readonly string[]): FittedRequest {
  let fitted = request;
  const omitted: string[] = [];
  for (const name of names) {
    const changed = omitField(fitted, name);
    if (changed === undefined) continue;
    fitted = changed;
    omitted.push(name);
  }
  return { request: fitted, omitted };
}

/**
 * Leaves out one field, named as on the wire. Undefined when the request does not have it, or would not mean the same
 * without it: `messages`, `stop`, a `tool_choice` that forbids or demands a call.
 */
export function omitField(request: ChatRequest, name: string): ChatRequest | undefined {
  const fitted: { -readonly [field in keyof ChatRequest]: ChatRequest[field] } = { ...request };
  switch (name) {
    case 'tools':
      if (request.tools === undefined) return undefined;
      delete fitted.tools;
      delete fitted.toolChoice;
      return fitted;
    case 'tool_choice':
      if (request.toolChoice !== 'auto') return undefined;
      delete fitted.toolChoice;
      return fitted;
    case 'logprobs':
    case 'top_logprobs':
      if (request.logprobs !== true) return undefined;
      delete fitted.topLogprobs;
      if (name === 'logprobs') delete fitted.logprobs;
      return fitted;
    case 'response_format':
      if (request.responseFormat === undefined || request.responseFormat.type === 'text') return undefined;
      fitted.messages = addJsonInstruction(request.messages, request.responseFormat);
      delete fitted.responseFormat;
      return fitted;
    default: {
      const field = Object.keys(FIELDS).find((key) => isField(key) && FIELDS[key] === name);
      if (field === undefined || !isField(field) || request[field] === undefined) return undefined;
      delete fitted[field];
      return fitted;
    }
  }
}

/** Any JSON object, as a schema. */
const ANY_OBJECT = { type: 'json_schema', name: 'json_object', schema: { type: 'object' } } as const;

function withSchemaForJson(request: ChatRequest): ChatRequest {
  return request.responseFormat?.type === 'json_object'
    ? { ...request, responseFormat: ANY_OBJECT }
    : request;
}

/**
 * Whether the model can answer the fitted request; used to choose stand-in models. Tools that the model may leave unused
 * are not needed; calls in the history, and a call that is demanded, are.
 */
export function supportsRequest(request: ChatRequest, model: Model): boolean {
  const needsTools =
    request.toolChoice === 'required' || request.messages.some(({ role }) => role === 'tool');
  return (
    model.ready &&
    findUnsupportedModality(request, model) === undefined &&
    !(needsTools && lacksFeature(model, 'tools'))
  );
}

function lacksFeature(model: Model, feature: string): boolean {
  return model.features !== undefined && !model.features.includes(feature);
}

function isField(field: string): field is keyof typeof FIELDS {
  return Object.hasOwn(FIELDS, field);
}

/** Returns the first media type of the request that the model does not list. */
function findUnsupportedModality(request: ChatRequest, model: Model): string | undefined {
  const { inputModalities } = model;
  if (inputModalities === undefined) return undefined;
  for (const { content } of request.messages) {
    if (content === null || typeof content === 'string') continue;
    for (const part of content) {
      const modality = toModality(part);
      if (!inputModalities.includes(modality)) return modality;
    }
  }
  return undefined;
}

function toModality(part: ContentPart): string {
  return part.type === 'input-audio' ? 'audio' : part.type;
}
