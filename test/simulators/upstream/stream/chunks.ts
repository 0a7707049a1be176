import { currentCall, legacyCall, signed } from '../chat/body.ts';
import type { CalledTool, Completion } from '../chat/completion.ts';
import { parseJson } from '../json.ts';
import { tokenize } from '../tokens.ts';
import type { StreamShape } from './shape.ts';
import { currentUsage, legacyUsage, weightVersion } from './usage.ts';

export type Chunk = Record<string, unknown>;
type Delta = { readonly delta: Chunk; readonly logprobs?: unknown };

/** The events of a streamed answer in the current shape, in order, usage on the last. Choices take turns. */
export function currentChunks(
  completion: Completion,
  shape: StreamShape,
  alternatives: readonly Completion[] = [],
): Chunk[] {
  const usage = currentUsage(completion.usage);
  const form = shape.usage ?? 'separate';
  const head = {
    ...(shape.ids === false ? {} : { id: completion.id }),
    object: 'chat.completion.chunk',
    ...(shape.ids === false ? {} : { created: completion.created }),
    model: completion.model.id,
  };
  const tail = form === 'every' ? { usage } : form === 'null' ? { usage: null } : {};
  const metadata = { weight_version: weightVersion(completion) };
  const parts = takeTurns([completion, ...alternatives].map((one, index) => choiceParts(one, index, shape)));
  const final = form === 'finish' || form === 'every' ? { usage, metadata } : tail;
  const chunks: Chunk[] = parts.map((choice, at) => ({
    ...head,
    choices: [choice],
    ...(at === parts.length - 1 ? final : tail),
  }));
  if (form === 'separate' || form === 'null') chunks.push({ ...head, choices: [], usage, metadata });
  if (form === 'no-choices') chunks.push({ ...head, usage, metadata });
  return chunks;
}

/** The choices of one answer, chunk by chunk: its deltas, then its finish reason. */
function choiceParts(completion: Completion, index: number, shape: StreamShape): Chunk[] {
  const deltas = deltasOf(completion, shape).map(({ delta, logprobs = null }) => ({
    index,
    delta,
    finish_reason: null,
    logprobs,
  }));
  const ending = {
    index,
    delta: {},
    finish_reason: shape.finish ?? completion.finish,
    logprobs: null,
    ...(completion.matchedStop === undefined ? {} : { matched_stop: completion.matchedStop }),
  };
  return [...deltas, ending];
}

function takeTurns(lists: readonly (readonly Chunk[])[]): Chunk[] {
  const length = Math.max(...lists.map((list) => list.length));
  return Array.from({ length }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

function deltasOf(completion: Completion, shape: StreamShape): Delta[] {
  const role = { delta: { role: 'assistant', content: '' } };
  const thinking = completion.reasoning.map((text): Delta => ({ delta: thought(text, completion, shape) }));
  const speaking = completion.content.map((content, at): Delta => {
    const logprob = completion.logprobs?.[at];
    if (logprob === undefined) return { delta: { content } };
    return { delta: { content }, logprobs: { content: [logprob], refusal: null } };
  });
  const calling = toolDeltas(completion.toolCalls, shape.tools ?? 'fragments').map((delta): Delta => ({
    delta,
  }));
  if (shape.role === 'none') return [...thinking, ...speaking, ...calling];
  if (shape.role === 'late') return [...thinking, role, ...speaking, ...calling];
  return [role, ...thinking, ...speaking, ...calling];
}

function thought(text: string, { model }: Completion, { reasoning }: StreamShape): Chunk {
  const both = reasoning === 'both' || (reasoning === undefined && model.doubled);
  return {
    ...(reasoning === 'reasoning' ? {} : { reasoning_content: text }),
    ...(both || reasoning === 'reasoning' ? { reasoning: text } : {}),
  };
}

function toolDeltas(calls: readonly CalledTool[], form: NonNullable<StreamShape['tools']>): Chunk[] {
  return calls.flatMap((call, nth) => {
    const index = form === 'no-index' ? {} : { index: form === 'same-index' ? 0 : nth };
    const { id, name, arguments: args } = call;
    if (form === 'whole' || form === 'same-index')
      return [{ tool_calls: [{ ...index, ...currentCall(call) }] }];
    if (form === 'object') {
      // What a limit has cut is no object.
      const callFragment = { name, arguments: parseJson(args)?.value ?? args };
      return [{ tool_calls: [{ ...index, id, type: 'function', function: callFragment, ...signed(call) }] }];
    }
    const first = { ...index, id, type: 'function', function: { name, arguments: '' }, ...signed(call) };
    const nulls = form === 'nulls' ? { id: null, type: 'function' } : {};
    const rest = tokenize(args).map((piece) => {
      const delta = form === 'nulls' ? { name: null, arguments: piece } : { arguments: piece };
      return { tool_calls: [{ ...index, ...nulls, function: delta }] };
    });
    return [{ tool_calls: [first] }, ...rest];
  });
}

/** The events of a streamed answer in the legacy shape: usage so far on each. */
export function legacyChunks(completion: Completion): Chunk[] {
  const head = { id: completion.id, model: completion.model.id };
  const { prompt, completion: total } = completion.usage;
  const one = (delta: Chunk, finish: string | null, completed: number): Chunk => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: finish }],
    usage: legacyUsage({ ...completion.usage, prompt, completion: completed }),
  });
  const speaking = completion.content.map((content, at) => one({ role: 'assistant', content }, null, at + 1));
  const calls = completion.toolCalls.map(legacyCall);
  if (calls.length > 0)
    speaking.push(one({ role: 'assistant', content: null, tool_calls: calls }, null, total));
  return [...speaking, one({ role: 'assistant', content: '' }, completion.finish, total)];
}
