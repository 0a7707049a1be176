import { parseJson } from '../json.ts';
import { currentUsage, legacyUsage, weightVersion } from '../stream/usage.ts';
import type { CalledTool, Completion } from './completion.ts';

type Json = Record<string, unknown>;

/** The answer as one JSON body of the current shape. `compat` adds what common clients insist on. */
export function currentBody(
  completion: Completion,
  compat: boolean,
  alternatives: readonly Completion[] = [],
): Json {
  return {
    id: completion.id,
    object: 'chat.completion',
    created: completion.created,
    model: completion.model.id,
    ...(compat ? { system_fingerprint: null } : {}),
    choices: [completion, ...alternatives].map(currentChoice),
    usage: currentUsage(completion.usage),
    metadata: { weight_version: weightVersion(completion) },
  };
}

function currentChoice(completion: Completion, index: number): Json {
  const { content, finish, matchedStop, model, toolCalls } = completion;
  const reasoning = model.reasoning === 'none' ? null : completion.reasoning.join('') || null;
  const called = toolCalls.length > 0;
  const message = {
    role: 'assistant',
    content: called ? null : content.join(''),
    reasoning_content: reasoning,
    ...(model.doubled ? { reasoning } : {}),
    ...(called ? { tool_calls: toolCalls.map(currentCall) } : {}),
  };
  return {
    index,
    message,
    finish_reason: finish,
    logprobs: completion.logprobs === undefined ? null : { content: completion.logprobs, refusal: null },
    ...(matchedStop === undefined ? {} : { matched_stop: matchedStop }),
  };
}

export function currentCall(call: CalledTool): Json {
  const { id, name, arguments: args } = call;
  return { id, type: 'function', function: { name, arguments: args }, ...signed(call) };
}

/** Where Gemini signs its thought. */
export const signed = ({ signature }: CalledTool): Json =>
  signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } };

/** The answer as one JSON body of the legacy shape: flat tool calls with their parameters as an object. */
export function legacyBody(completion: Completion): Json {
  const { content, finish, model, toolCalls } = completion;
  const called = toolCalls.length > 0;
  const message = {
    role: 'assistant',
    content: called ? null : content.join(''),
    ...(called ? { tool_calls: toolCalls.map(legacyCall) } : {}),
  };
  return {
    id: completion.id,
    model: model.id,
    choices: [{ index: 0, message, finish_reason: finish }],
    usage: legacyUsage(completion.usage),
  };
}

/** Arguments that a limit has cut are no object: of them, only the name of the tool remains. */
export function legacyCall({ id, name, arguments: args }: CalledTool): Json {
  return { id, name, parameters: parseJson(args)?.value ?? {} };
}
