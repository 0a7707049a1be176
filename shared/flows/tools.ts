import type { PromptMessage, ToolCall } from '../conversation/index.ts';
import type { Step } from '../platforms/platform.ts';
import { type Locale, say, type Saying } from '../texts/index.ts';
import type { Tool } from '../upstream/index.ts';
import type { Deps } from './ports.ts';

/** Something that the model may have done while it answers. */
export type FlowTool = {
  readonly definition: Tool;
  /** Reads the arguments and says what they come to, to people in their language. Throws ToolFailed when they will not do. */
  readonly prepare: (args: Readonly<Record<string, unknown>>, locale: Locale) => PreparedCall;
};

export type PreparedCall = {
  /** What is being done, for people. */
  readonly title: string;
  /** The same after the name of the bot: "is reading on…". */
  readonly status: Saying;
  /** May reject with ToolFailed; any other rejection is a fault that nobody is told the details of. */
  readonly run: (signal: AbortSignal) => Promise<ToolResult>;
};

/** What came of a call: for the model, and in short for people. */
export type ToolResult = { readonly content: string; readonly summary: string };

/** A tool could not do what was asked. The message is told to the model; `shown` to people, in their language. */
export class ToolFailed extends Error {
  override readonly name = 'ToolFailed';
  readonly shown: string | undefined;
  constructor(message: string, shown?: string) {
    super(message);
    this.shown = shown;
  }
}

/** How long a call of a tool may take. */
const TOOL_MS = 20_000;
/** Calls that a model may make at once. */
const MOST_CALLS = 8;

export type ToolRun = {
  readonly tools: readonly FlowTool[];
  /** Which round of calls this is: tells one step from the next. */
  readonly round: number;
  readonly step: (step: Step) => void;
  readonly status: (saying: Saying) => void;
  readonly locale: Locale;
  readonly signal: AbortSignal;
  readonly deps: Pick<Deps, 'time' | 'log'>;
};

/**
 * Makes the calls that a model asked for, side by side, and resolves with what it is told of each, in order. A call that
 * fails is told to the model, and shown. Rejects with the signal's reason once that is aborted.
 */
export function runTools(calls: readonly ToolCall[], run: ToolRun): Promise<PromptMessage[]> {
  return Promise.all(
    calls.map(async (call, place): Promise<PromptMessage> => {
      const content = await runTool(call, place, run);
      return { role: 'tool', toolCallId: call.id, content };
    }),
  );
}

async function runTool(call: ToolCall, place: number, run: ToolRun): Promise<string> {
  const { signal, deps, locale } = run;
  const tool = run.tools.find(({ definition }) => definition.name === call.name);
  let step: Step = {
    id: `tool-${run.round}-${place + 1}`,
    title: say(locale, 'answers.tool.using'),
    state: 'running',
  };
  try {
    if (place >= MOST_CALLS) throw new ToolFailed('Too many calls at once: make fewer.');
    if (!tool) throw new ToolFailed('There is no tool of that name.');
    const { title, status, run: make } = tool.prepare(argumentsOf(call), locale);
    step = { ...step, title };
    run.step(step);
    run.status(status);
    const { content, summary } = await within(make, run);
    run.step({ ...step, state: 'done', details: summary });
    return content;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const known = error instanceof ToolFailed;
    const why = known ? error.message : 'The tool is broken just now.';
    const details =
      known && error.shown !== undefined
        ? error.shown
        : say(locale, `answers.tool.${known ? 'wrong' : 'broken'}`);
    run.step({ ...step, state: 'failed', details });
    deps.log('tool.failed', {
      tool: tool?.definition.name ?? 'unknown',
      error: error instanceof Error ? error.name : 'unknown',
    });
    return `This did not work: ${why}`;
  }
}

/** What the model wrote as arguments: text that should hold a JSON object. */
function argumentsOf(call: ToolCall): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(call.arguments);
  } catch {
    throw new ToolFailed('The arguments are not JSON.');
  }
  if (!isRecord(value)) throw new ToolFailed('The arguments are not a JSON object.');
  return value;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Ends a call at its deadline, or when the signal is aborted, whether or not the tool heeds its own signal. */
async function within(make: PreparedCall['run'], { signal, deps, locale }: ToolRun): Promise<ToolResult> {
  const over = new AbortController();
  const ended = Promise.withResolvers<never>();
  const abort = (): void => ended.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  deps.time.sleep(TOOL_MS, over.signal).then(
    () => ended.reject(new ToolFailed('It took too long.', say(locale, 'answers.tool.slow'))),
    () => undefined,
  );
  try {
    signal.throwIfAborted();
    return await Promise.race([make(AbortSignal.any([signal, over.signal])), ended.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
    over.abort(new Error('the call is over'));
  }
}
