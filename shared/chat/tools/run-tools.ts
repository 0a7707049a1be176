import type { ChatContext } from '../context.ts';
import type { PromptMessage, ToolCall, ToolCallRecord, Thread } from '../../domain/index.ts';
import type { Step } from '../../platforms/ports/index.ts';
import { type Locale, localize, type TextMessage } from '../../i18n/index.ts';
import { type ChatTool, type PreparedCall, ToolError, type ToolResult } from '../../ports/index.ts';
import { getErrorFacts, isRecord } from '../../utils/index.ts';
import { maskJson, type Placeholders, unmaskJson } from '../../private-data/index.ts';
import { wrapUntrusted } from './untrusted-result.ts';

const TOOL_TIMEOUT_MS = 20_000;
/** Most tool calls of one response. */
const MAX_CALLS = 8;

export type ToolRun = {
  /** Of the private data in the prompt; undefined where nothing is masked. */
  readonly placeholders: Placeholders | undefined;
  readonly tools: readonly ChatTool[];
  /** The number of the tool round; part of the step ids. */
  readonly round: number;
  /** Whether the answer has received data of strangers in an earlier round. */
  readonly hasForeignData: boolean;
  readonly step: (step: Step) => void;
  readonly status: (saying: TextMessage) => void;
  readonly locale: Locale;
  readonly signal: AbortSignal;
  /** Whose calls these are, for the log of the workspace. */
  readonly owner: { readonly thread: Omit<Thread, 'root'>; readonly person: string };
  /** Records a call of a tool that administrators turned on, for `why`. */
  readonly record: (call: ToolCallRecord) => void;
  readonly context: Pick<ChatContext, 'time' | 'log' | 'toolLog'>;
};

/**
 * Runs the requested tool calls concurrently. Returns the tool messages for the model in order. A failed call is reported to
 * the model and shown as a step. Rejects with the reason of an aborted signal.
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
  const { signal, context, locale } = run;
  const tool = run.tools.find(({ definition }) => definition.name === call.name);
  const startedAt = context.time.now();
  let step: Step = {
    id: `tool-${run.round}-${place + 1}`,
    title: localize(locale, 'answers.tool.using'),
    state: 'running',
  };
  const finish = async (
    outcome: ToolCallRecord['outcome'],
    details: string,
    search?: ToolCallRecord['search'],
  ): Promise<void> => {
    const ms = context.time.now() - startedAt;
    const took = localize(locale, 'memory.why.seconds', { seconds: Math.round(ms / 100) / 10 });
    const state = outcome === 'failed' ? 'failed' : 'done';
    run.step({ ...step, state, details: tool?.source === undefined ? details : `${details} · ${took}` });
    if (tool?.source !== undefined)
      await recordCall(
        { tool: call.name, source: tool.source, ms, outcome, ...(search && { search }) },
        startedAt,
        run,
      );
  };
  try {
    if (place >= MAX_CALLS) throw new ToolError('Too many calls at once: make fewer.');
    if (!tool) throw new ToolError('There is no tool of that name.');
    if (tool.needsOwnWords && run.hasForeignData)
      throw new ToolError('Not after data of strangers: the person has to ask for it in a new message.');
    const {
      title,
      status,
      run: runPrepared,
    } = tool.prepare(allowedArguments(parseArguments(call), tool, run), locale);
    step = { ...step, title };
    run.step(step);
    run.status(status);
    const { content, summary, outcome = 'done', search } = await runWithTimeout(runPrepared, run);
    await finish(outcome, summary, search);
    return tool.source === undefined || outcome === 'proposed'
      ? content
      : wrapUntrusted(tool.source, content);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const isToolError = error instanceof ToolError;
    const why = isToolError ? error.message : 'The tool is broken just now.';
    const details =
      isToolError && error.userMessage !== undefined
        ? error.userMessage
        : localize(locale, `answers.tool.${isToolError ? 'wrong' : 'broken'}`);
    await finish('failed', details);
    context.log('tool.failed', {
      tool: tool?.definition.name ?? 'unknown',
      ...getErrorFacts(error),
    });
    return `This did not work: ${why}`;
  }
}

/** Records a call for `why`, for operators and in the log of the workspace. A log that cannot be written does not cost the answer. */
async function recordCall(call: ToolCallRecord, at: number, run: ToolRun): Promise<void> {
  const { owner, context } = run;
  run.record(call);
  context.log('tool.called', { name: call.source, tool: call.tool, ms: call.ms, outcome: call.outcome });
  await context.toolLog.add(owner.thread, { ...call, at, by: owner.person }).catch((error: unknown) => {
    context.log('tool.log-failed', { tool: call.tool, ...getErrorFacts(error) });
  });
}

/** Parses the arguments of a call. Throws a ToolError unless they are a JSON object. */
function parseArguments(call: ToolCall): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(call.arguments);
  } catch {
    throw new ToolError('The arguments are not JSON.');
  }
  if (!isRecord(value)) throw new ToolError('The arguments are not a JSON object.');
  return value;
}

/**
 * Masks the arguments of a call that leaves: the model may have put the parts of a value together. A tool that stays within the deployment gets
 * the values for their placeholders.
 */
function allowedArguments(
  args: Readonly<Record<string, unknown>>,
  { staysInside }: ChatTool,
  { placeholders }: ToolRun,
): Readonly<Record<string, unknown>> {
  if (!placeholders) return args;
  const changed = staysInside ? unmaskJson(args, placeholders) : maskJson(args, placeholders);
  return isRecord(changed) ? changed : args;
}

/** Ends a call at its timeout or abort, even if the tool ignores its signal. */
async function runWithTimeout(
  runPrepared: PreparedCall['run'],
  { signal, context, locale }: ToolRun,
): Promise<ToolResult> {
  const finished = new AbortController();
  const ended = Promise.withResolvers<never>();
  const abort = (): void => ended.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  context.time.sleep(TOOL_TIMEOUT_MS, finished.signal).then(
    () => ended.reject(new ToolError('It took too long.', localize(locale, 'answers.tool.slow'))),
    () => undefined,
  );
  try {
    signal.throwIfAborted();
    return await Promise.race([runPrepared(AbortSignal.any([signal, finished.signal])), ended.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
    finished.abort(new Error('the call is finished'));
  }
}
