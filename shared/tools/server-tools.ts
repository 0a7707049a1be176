import { isIntegration, type Thread, type TurnRef } from '../domain/index.ts';
import { formatToolsCommand, type Locale, localize } from '../i18n/index.ts';
import { type ChatTool, ToolError, type ToolQuestion, type ToolResult } from '../ports/index.ts';
import type { StoredTool, ToolServer } from '../storage/index.ts';
import { truncateText, toVisibleLine } from '../utils/index.ts';
import type { ToolsContext } from './context.ts';
import { proposeCall } from './propose-call.ts';
import { requestToolServer, type ServerOutcome } from './request-server.ts';

/** Cards per question: a limit against injected instructions. */
const MAX_PROPOSALS = 3;
/** Most characters of a result on the step of an answer. */
const MAX_SUMMARY_LENGTH = 80;

/** Returns the tools of these servers of the workspace that administrators turned on. Rejects if the table is unavailable. */
export async function loadServerTools(
  names: readonly string[],
  { turn }: ToolQuestion,
  context: ToolsContext,
): Promise<readonly ChatTool[]> {
  const servers = await context.toolServers.servers.list(turn.thread);
  const proposals = { left: MAX_PROPOSALS };
  return servers
    .filter(({ name }) => names.includes(name))
    .flatMap((server) =>
      server.tools
        // An integration cannot decide on a card.
        .filter(({ use }) => use === 'run' || (use === 'ask' && !isIntegration(turn.asker)))
        .map((tool) => serverTool(server, tool, turn, proposals, context)),
    );
}

/** Models accept letters, digits, `_` and `-`, at most 64. */
const MAX_NAME_LENGTH = 64;

/** The name for the model. A longer one loses its middle: the first and the last words tell tools apart, and a name belongs to the first that has it. */
export function getToolName(server: string, tool: string): string {
  const name = `${server.replaceAll('-', '_')}__${tool.replaceAll(/[^\w-]/gu, '_')}`;
  const half = MAX_NAME_LENGTH / 2 - 1;
  return name.length <= MAX_NAME_LENGTH ? name : `${name.slice(0, half)}__${name.slice(-half)}`;
}

function serverTool(
  server: ToolServer,
  tool: StoredTool,
  turn: TurnRef,
  proposals: { left: number },
  context: ToolsContext,
): ChatTool {
  const asksFirst = tool.use === 'ask';
  const hint = asksFirst
    ? ' A card asks the person first: nothing happens before they press its button.'
    : '';
  return {
    source: server.name,
    definition: {
      name: getToolName(server.name, tool.name),
      description: `(${server.name}) ${tool.description}${hint}`,
      parameters: tool.parameters,
    },
    prepare: (args, locale) => {
      const names = { tool: tool.name, server: server.name };
      if (asksFirst) {
        proposals.left -= 1;
        if (proposals.left < 0)
          throw new ToolError(`${MAX_PROPOSALS} cards wait already: let the person decide.`);
      }
      return {
        title: localize(locale, 'tools.calling', names),
        status: ['tools.status'],
        run: (signal) =>
          asksFirst
            ? proposeCall(turn, { server: server.name, tool, args, locale }, context)
            : callAtOnce(server, tool, { args, turn, locale, signal }, context),
      };
    },
  };
}

type Call = {
  readonly args: Readonly<Record<string, unknown>>;
  readonly turn: TurnRef;
  readonly locale: Locale;
  readonly signal: AbortSignal;
};

async function callAtOnce(
  server: ToolServer,
  { name: tool }: StoredTool,
  { args, turn, locale, signal }: Call,
  context: ToolsContext,
): Promise<ToolResult> {
  const action = { kind: 'call', tool, args } as const;
  const outcome = await requestToolServer(turn.thread, server, action, turn.asker, context, signal);
  if (outcome.kind !== 'called') {
    const sentence = describeOutcome(outcome, server.name, locale, turn.thread, context);
    throw new ToolError(describeOutcome(outcome, server.name, 'en', turn.thread, context), sentence);
  }
  const { text, isError } = outcome;
  const summary = truncateText(toVisibleLine(text, 400), MAX_SUMMARY_LENGTH);
  return { content: text, summary, outcome: isError ? 'failed' : 'done' };
}

/** Says in a sentence why a server gave no result. */
export function describeOutcome(
  outcome: Exclude<ServerOutcome, { kind: 'called' }>,
  server: string,
  locale: Locale,
  { platform }: Pick<Thread, 'platform'>,
  { settings }: Pick<ToolsContext, 'settings'>,
): string {
  if (outcome.kind === 'failed') return localize(locale, `tools.failed.${outcome.reason}`, { server });
  if (outcome.kind !== 'sign-in') return localize(locale, 'tools.failed.invalid', { server });
  const command = formatToolsCommand('connect', server, { platform, locale }, settings);
  return localize(locale, 'tools.sign-in', { server, command });
}
