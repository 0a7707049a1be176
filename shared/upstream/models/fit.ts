import type { ChatRequest, ContentPart } from '../chat/types.ts';
import { addJsonInstruction } from '../chat/structured/json-prompt.ts';
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

/**
 * Leaves out what the model does not support, if the model list says so: sampling parameters, tools, log probabilities.
 * Without support for JSON schemas, an instruction replaces the schema. Throws BadRequestError (`unsupported_modality`) for
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
  const fitted: { -readonly [name in keyof ChatRequest]: ChatRequest[name] } = { ...request };
  const omitted: string[] = [];
  for (const [field, name] of Object.entries(SAMPLING_FIELDS)) {
    if (!isSamplingField(field) || request[field] === undefined) continue;
    if (model.samplingParameters === undefined || model.samplingParameters.includes(name)) continue;
    delete fitted[field];
    omitted.push(name);
  }
  if (request.tools !== undefined && lacksFeature(model, 'tools')) {
    delete fitted.tools;
    delete fitted.toolChoice;
    omitted.push('tools');
  }
  if (request.logprobs === true && lacksFeature(model, 'logprobs')) {
    delete fitted.logprobs;
    delete fitted.topLogprobs;
    omitted.push('logprobs');
  }
  if (request.responseFormat?.type === 'json_schema' && lacksFeature(model, 'structured_outputs')) {
    fitted.messages = addJsonInstruction(request.messages, request.responseFormat);
    delete fitted.responseFormat;
    omitted.push('response_format');
  }
  return { request: fitted, omitted };
}

/** Whether the model can answer the request without changes; used to choose fallback models. */
export function supportsRequest(request: ChatRequest, model: Model): boolean {
  const needsTools = request.tools !== undefined && request.tools.length > 0;
  return (
    model.ready &&
    findUnsupportedModality(request, model) === undefined &&
    !(needsTools && lacksFeature(model, 'tools'))
  );
}

function lacksFeature(model: Model, feature: string): boolean {
  return model.features !== undefined && !model.features.includes(feature);
}

function isSamplingField(field: string): field is keyof typeof SAMPLING_FIELDS {
  return Object.hasOwn(SAMPLING_FIELDS, field);
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
