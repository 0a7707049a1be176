import { isInteger, isList, isObject, isText } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { Model } from '../models.ts';
import { badRequest, RefusedError } from '../error-responses.ts';
import { countPrompt } from './count-prompt.ts';
import { readMessages } from './messages.ts';
import type { ChatRequest, Leniency } from './request.ts';
import { readFormat, readToolChoice, readTools } from './tools.ts';

export type FindModel = (id: string) => Model | undefined;

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** Checks a request of the current shape against the document. Throws `RejectedRequest` (400, 404). */
export function readCurrent(value: unknown, find: FindModel, lenient: Leniency): ChatRequest {
  if (!isObject(value)) throw badRequest(null, 'The body must be a JSON object.');
  const body = lenient.nullIsAbsent ? withoutNulls(value) : value;
  const model = readModel(body['model'], find);
  const messages = readMessages(body['messages'], model, lenient);
  readSampling(body, model);
  const tools = readTools(body['tools'], model);
  const stream = readBoolean(body, 'stream');
  const promptTokens = countPrompt(messages, tools);
  return {
    shape: 'current',
    model,
    messages,
    stream,
    promptTokens,
    ...readBudget(body, model, promptTokens, lenient),
    temperature: readNumber(body, 'temperature'),
    seed: readInteger(body, 'seed'),
    sampling: [],
    stop: readStop(body['stop']),
    tools,
    ...readToolChoice(body['tool_choice'], tools, lenient),
    format: readFormat(body['response_format'], model, lenient),
    ...readLogprobs(body, model),
    effort: readEffort(body),
    choices: readChoices(body, lenient),
  };
}

function withoutNulls(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

function readModel(id: unknown, find: FindModel): Model {
  if (!isText(id)) throw badRequest('model', 'model must be a string.');
  const model = find(id);
  if (model !== undefined) return model;
  const message = `The model ${JSON.stringify(id.slice(0, 100))} does not exist.`;
  throw new RefusedError({ status: 404, message, code: 'model_not_found', param: 'model' });
}

/** Type and range of each sampling parameter, and whether the model has it. */
function readSampling(body: JsonObject, model: Model): void {
  for (const name of ['temperature', 'top_p', 'min_p', 'repetition_penalty']) readNumber(body, name);
  for (const name of ['top_k', 'seed']) readInteger(body, name);
  for (const name of ['frequency_penalty', 'presence_penalty']) {
    const value = readNumber(body, name);
    if (value !== undefined && Math.abs(value) > 2) {
      throw badRequest(name, `${name} must be between -2.0 and 2.0.`, 'invalid_value');
    }
  }
  readBias(body['logit_bias']);
  for (const name of GATED) {
    if (body[name] !== undefined && !model.sampling.includes(name)) {
      throw badRequest(name, `${model.id} does not support ${name}.`, 'unsupported_parameter');
    }
  }
}

const GATED = ['top_k', 'min_p', 'repetition_penalty', 'frequency_penalty', 'presence_penalty', 'logit_bias'];

function readBias(bias: unknown): void {
  if (bias === undefined) return;
  if (!isObject(bias)) throw badRequest('logit_bias', 'logit_bias must be a map of token id to number.');
  for (const value of Object.values(bias)) {
    if (typeof value !== 'number' || Math.abs(value) > 100) {
      throw badRequest('logit_bias', 'logit_bias values must be numbers from -100 to 100.', 'invalid_value');
    }
  }
}

function readBudget(body: JsonObject, model: Model, promptTokens: number, lenient: Leniency) {
  const alias = lenient.maxCompletionTokens ? readInteger(body, 'max_completion_tokens') : undefined;
  const maxTokens = readInteger(body, 'max_tokens') ?? alias;
  if (maxTokens !== undefined && maxTokens < 1)
    throw badRequest('max_tokens', 'max_tokens must be at least 1.');
  const budget = Math.min(maxTokens ?? model.budget, model.maxOutput);
  const room = model.context - promptTokens;
  if (room < (maxTokens === undefined ? 1 : budget)) {
    const sum = `${promptTokens} tokens of input and ${budget} of output`;
    const message = `${model.id} has a context of ${model.context} tokens; this asks for ${sum}.`;
    throw badRequest('messages', message, 'context_length_exceeded');
  }
  return { maxTokens: Math.min(budget, room), contextBound: false };
}

function readStop(stop: unknown): readonly string[] {
  if (stop === undefined) return [];
  if (isText(stop)) return [stop].filter(Boolean);
  if (isList(stop) && stop.every(isText)) return stop.filter(Boolean);
  throw badRequest('stop', 'stop must be a string or a list of strings.');
}

function readLogprobs(body: JsonObject, model: Model): Pick<ChatRequest, 'logprobs' | 'topLogprobs'> {
  const logprobs = readBoolean(body, 'logprobs');
  const top = readInteger(body, 'top_logprobs');
  if (top !== undefined && (top < 0 || top > 20)) {
    throw badRequest('top_logprobs', 'top_logprobs must be from 0 to 20.', 'invalid_value');
  }
  if (logprobs && !(model.nativeLogprobs && model.features.includes('logprobs'))) {
    throw badRequest('logprobs', `${model.id} does not support logprobs.`, 'unsupported_parameter');
  }
  return { logprobs, topLogprobs: logprobs ? (top ?? 0) : 0 };
}

const MAX_CHOICES = 8;

function readChoices(body: JsonObject, lenient: Leniency): number {
  if (lenient.choices === 'ignore' || body['n'] === undefined) return 1;
  if (lenient.choices === 'reject') throw badRequest('n', 'n is not supported.', 'unsupported_parameter');
  const count = readInteger(body, 'n') ?? 1;
  if (count >= 1 && count <= MAX_CHOICES) return count;
  throw badRequest('n', `n must be from 1 to ${MAX_CHOICES}.`, 'invalid_value');
}

function readEffort(body: JsonObject): string | undefined {
  const nested = body['reasoning'];
  const inner = isObject(nested) && nested['effort'] !== null ? nested['effort'] : undefined;
  const outer = body['reasoning_effort'];
  checkEffort(outer, 'reasoning_effort');
  checkEffort(inner, 'reasoning.effort');
  return [outer, inner].find(isText);
}

function checkEffort(effort: unknown, param: string): void {
  if (effort === undefined || (isText(effort) && EFFORTS.includes(effort))) return;
  throw badRequest(param, `${param} must be one of ${EFFORTS.join(', ')}.`, 'invalid_value');
}

function readNumber(body: JsonObject, name: string): number | undefined {
  const value = body[name];
  if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value;
  throw badRequest(name, `${name} must be a number.`);
}

function readInteger(body: JsonObject, name: string): number | undefined {
  const value = body[name];
  if (value === undefined || isInteger(value)) return value;
  throw badRequest(name, `${name} must be an integer.`);
}

function readBoolean(body: JsonObject, name: string): boolean {
  const value = body[name];
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  throw badRequest(name, `${name} must be a boolean.`);
}
