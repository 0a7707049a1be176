import type { ChatRequest, ContentPart } from '../chat/types.ts';
import { askInWords } from '../chat/structured/json-in-words.ts';
import { BadRequestError } from '../errors.ts';
import type { Model } from './model.ts';

/** A request that the model takes, and what was left out of it, by the names of the wire. */
export type FittedRequest = { readonly request: ChatRequest; readonly omitted: readonly string[] };

const SAMPLING = {
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
 * Leaves out what the model does not support, where it says what it supports: sampling parameters, tools, log
 * probabilities. A JSON schema that it cannot be held to is asked for in words instead. Throws BadRequestError
 * (`unsupported_modality`) for media that it cannot take: to leave those out would change the question.
 */
export function fit(request: ChatRequest, model: Model): FittedRequest {
  const missing = missingModality(request, model);
  if (missing !== undefined) {
    throw new BadRequestError(`The model ${model.id} takes no ${missing}.`, {
      code: 'unsupported_modality',
      param: 'messages',
    });
  }
  const fitted: { -readonly [name in keyof ChatRequest]: ChatRequest[name] } = { ...request };
  const omitted: string[] = [];
  for (const [field, name] of Object.entries(SAMPLING)) {
    if (!isSampling(field) || request[field] === undefined) continue;
    if (model.samplingParameters === undefined || model.samplingParameters.includes(name)) continue;
    delete fitted[field];
    omitted.push(name);
  }
  if (request.tools !== undefined && lacks(model, 'tools')) {
    delete fitted.tools;
    delete fitted.toolChoice;
    omitted.push('tools');
  }
  if (request.logprobs === true && lacks(model, 'logprobs')) {
    delete fitted.logprobs;
    delete fitted.topLogprobs;
    omitted.push('logprobs');
  }
  if (request.responseFormat?.type === 'json_schema' && lacks(model, 'structured_outputs')) {
    fitted.messages = askInWords(request.messages, request.responseFormat);
    delete fitted.responseFormat;
    omitted.push('response_format');
  }
  return { request: fitted, omitted };
}

/** Whether the model could answer the request as it is: for choosing from a chain. */
export function suits(request: ChatRequest, model: Model): boolean {
  const needsTools = request.tools !== undefined && request.tools.length > 0;
  return (
    model.ready && missingModality(request, model) === undefined && !(needsTools && lacks(model, 'tools'))
  );
}

function lacks(model: Model, feature: string): boolean {
  return model.features !== undefined && !model.features.includes(feature);
}

function isSampling(field: string): field is keyof typeof SAMPLING {
  return Object.hasOwn(SAMPLING, field);
}

/** The first kind of media in the request that the model does not list. */
function missingModality(request: ChatRequest, model: Model): string | undefined {
  const { inputModalities } = model;
  if (inputModalities === undefined) return undefined;
  for (const { content } of request.messages) {
    if (content === null || typeof content === 'string') continue;
    for (const part of content) {
      const modality = modalityOf(part);
      if (!inputModalities.includes(modality)) return modality;
    }
  }
  return undefined;
}

function modalityOf(part: ContentPart): string {
  return part.type === 'input-audio' ? 'audio' : part.type;
}
