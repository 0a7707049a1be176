import { reply } from '../answer/assistant.ts';
import type { Heard } from '../answer/assistant.ts';
import { prose } from '../answer/prose.ts';
import { fit } from '../answer/schema.ts';
import { afterTools, toolUses } from '../answer/tool-use.ts';
import type { Use } from '../answer/tool-use.ts';
import { directivesIn, numberOf, withoutDirectives } from '../directives.ts';
import type { Directive } from '../directives.ts';
import { createRandom, hash, identifier } from '../random.ts';
import type { Random } from '../random.ts';
import { countTokens, tokenize } from '../tokens.ts';
import type { Completion, Finish } from './completion.ts';
import { logprobsOf } from './logprobs.ts';
import type { ChatMessage, ChatRequest, Part } from './request.ts';
import { reasoningTokens } from './reasoning.ts';

export type GenerateContext = {
  /** s since 1970. */
  readonly created: number;
  /** The simulator's seed. */
  readonly seed: number;
  /** The number of the request, which varies answers without a seed. */
  readonly turn: number;
  readonly cachedTokens: number;
  /** Replaces the text of the assistant. */
  readonly say?: string | undefined;
};

const END_OF_TURN = 151_645;

/** Creates the answer to a request: pure, the same for the same request and context. */
export function generate(request: ChatRequest, context: GenerateContext): Completion {
  const random = createRandom(seedFor(request, context));
  const ids = createRandom(hash(`${context.seed} ${context.turn} ids`));
  const directives = directivesIn(lastQuestion(request)?.text ?? '');
  const output =
    context.say === undefined ? say(request, directives, random) : { text: context.say, uses: [] };
  const thought = reasoningTokens(request, directives, random);
  const cut = fitIn(output, thought, request);
  return {
    id: `chatcmpl-${identifier(ids, 24)}`,
    created: context.created,
    model: request.model,
    reasoning: cut.reasoning,
    content: cut.content,
    toolCalls: cut.uses.map((use) => ({ id: `call_${identifier(ids, 16)}`, ...use })),
    finish: cut.finish,
    matchedStop: cut.natural ? END_OF_TURN : undefined,
    usage: {
      prompt: request.promptTokens,
      completion: cut.spent,
      reasoning: cut.reasoning.length,
      cached: context.cachedTokens,
    },
    logprobs: request.logprobs ? logprobsOf(cut.content, request.topLogprobs) : undefined,
  };
}

/**
 * Greedy and seeded requests repeat their answers, if the model can; others vary. What a seed gives also depends on the other
 * values of sampling.
 */
function seedFor(request: ChatRequest, { seed, turn }: GenerateContext): number {
  const prompt = JSON.stringify(request.messages);
  if (request.temperature === 0) return hash(`${seed} greedy ${prompt}`);
  if (request.seed !== undefined && request.model.seeded)
    return hash([request.seed, ...request.sampling, prompt].join(' '));
  return hash(`${seed} ${turn} ${prompt}`);
}

type Said = { readonly text: string; readonly uses: readonly Use[] };

function say(request: ChatRequest, directives: readonly Directive[], random: Random): Said {
  const last = request.messages.at(-1);
  const question = lastQuestion(request);
  const questionText = question?.text ?? '';
  // After the result of a tool the model answers, unless the request demands a call.
  if (request.toolChoice === 'required' || (request.toolChoice === 'auto' && last?.role !== 'tool')) {
    const forced = { required: request.toolChoice === 'required', name: request.forcedTool };
    const uses = toolUses(request.tools, questionText, directives, forced, random);
    if (uses.length > 0) return { text: '', uses };
  }
  return { text: words(request, questionText, question?.parts ?? [], directives, random), uses: [] };
}

function words(
  request: ChatRequest,
  question: string,
  parts: readonly Part[],
  directives: readonly Directive[],
  random: Random,
): string {
  const plain = withoutDirectives(question);
  const directive = directives.find(({ name }) => name === 'say');
  if (directive !== undefined) return directive.value ?? '';
  if (request.format.kind === 'json_schema') return JSON.stringify(fit(request.format.schema, plain, random));
  for (const { name, value } of directives) {
    if (name === 'echo') return plain;
    if (name === 'tokens') return prose(random, Math.min(200_000, numberOf(value, 100)));
  }
  if (request.messages.at(-1)?.role === 'tool') return afterTools(request.messages);
  const answer = reply(
    { ...contextOf(request.messages), question: plain, media: parts.flatMap(describe) },
    random,
  );
  return request.format.kind === 'json_object' ? JSON.stringify({ answer }) : answer;
}

function lastQuestion({ messages }: ChatRequest): ChatMessage | undefined {
  return messages.findLast(({ role }) => role === 'user');
}

function contextOf(messages: readonly ChatMessage[]): Pick<Heard, 'messages' | 'answered' | 'folded'> {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const before = messages.slice(0, Math.max(0, last));
  const of = (role: ChatMessage['role']): string[] =>
    before
      .filter((message) => message.role === role)
      .map(({ text }) => withoutDirectives(text))
      .filter(Boolean);
  return {
    messages: of('user'),
    answered: of('assistant'),
    // A later system message contains the summary of dropped history.
    folded: before.slice(1).flatMap(({ role, text }) => (role === 'system' ? [text] : [])),
  };
}

function describe(part: Part): string[] {
  if (part.kind === 'text') return [];
  const type = /^data:[a-z]+\/([a-z0-9.+-]+)/iu.exec(part.url)?.[1];
  const noun = { image: 'a picture', video: 'a video', audio: 'a recording' }[part.kind];
  return [type === undefined ? noun : `${noun} (${type}, ${Math.ceil((part.url.length * 3) / 4096)} KB)`];
}

type Cut = {
  readonly reasoning: readonly string[];
  readonly content: readonly string[];
  readonly uses: readonly Use[];
  readonly finish: Finish;
  readonly natural: boolean;
  readonly spent: number;
};

/** Ends the answer at a stop text, at `max_tokens`, or at the end of the context. */
function fitIn(output: Said, thought: string, request: ChatRequest): Cut {
  const full: Finish = request.contextBound ? 'context' : 'length';
  const reasoning = tokenize(thought);
  if (reasoning.length >= request.maxTokens && reasoning.length > 0) {
    const tokens = reasoning.slice(0, request.maxTokens);
    return { reasoning: tokens, content: [], uses: [], finish: full, natural: false, spent: tokens.length };
  }
  const room = request.maxTokens - reasoning.length;
  if (output.uses.length > 0) {
    const cost = output.uses.reduce((sum, use) => sum + costOf(use), 0);
    const spent = reasoning.length + Math.min(room, cost);
    if (cost > room) {
      const uses = cutUses(output.uses, room);
      return { reasoning, content: [], uses, finish: full, natural: false, spent };
    }
    const finish = request.shape === 'legacy' ? 'stop' : 'tool_calls';
    return { reasoning, content: [], uses: output.uses, finish, natural: true, spent };
  }
  const stops = request.stop.map((stop) => output.text.indexOf(stop)).filter((at) => at >= 0);
  const end = Math.min(...stops, output.text.length);
  const tokens = tokenize(output.text.slice(0, end));
  const content = tokens.slice(0, room);
  const whole = content.length === tokens.length;
  return {
    reasoning,
    content,
    uses: [],
    finish: whole ? 'stop' : full,
    natural: whole && stops.length === 0,
    spent: reasoning.length + content.length,
  };
}

const costOf = (use: Use): number => countTokens(use.name) + countTokens(use.arguments);

/** The calls as far as they fit into `room` tokens: the last may have only a part of its arguments, or none of them. */
function cutUses(uses: readonly Use[], room: number): Use[] {
  const cut: Use[] = [];
  let left = room;
  for (const use of uses) {
    left -= countTokens(use.name);
    if (left < 0) break;
    cut.push({ name: use.name, arguments: tokenize(use.arguments).slice(0, left).join('') });
    left = Math.max(0, left - countTokens(use.arguments));
  }
  return cut;
}
