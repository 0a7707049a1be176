import { findEnabledTools } from '../settings/rules/index.ts';
import type { ChatTool, ToolQuestion, ToolSource } from '../ports/index.ts';
import { getErrorFacts } from '../utils/index.ts';
import { loadServerTools } from './server-tools.ts';
import type { ToolsContext } from './context.ts';

/** Most tools of all sources that one question is offered: each costs tokens, and models choose badly among many. */
const MAX_OFFERED_TOOLS = 64;

/**
 * Loads the tools that are on for the asker of a question. A source that fails costs only its own tools. A name belongs to the first tool
 * that has it. Never rejects: without roles or with a broken source the question is answered without these tools.
 */
export async function loadEnabledTools(
  question: ToolQuestion,
  context: ToolsContext,
): Promise<readonly ChatTool[]> {
  const { turn } = question;
  const enabled = await findEnabledTools(turn.asker, context.settings.layers, () =>
    context.memberRoles(turn.thread, turn.asker),
  ).catch((error: unknown): readonly string[] => {
    context.log('tools.roles-unavailable', getErrorFacts(error));
    return [];
  });
  const sources = [...context.toolSources, createServerSource(enabled, context)];
  const loaded = await Promise.all(sources.map((source) => loadSource(source, enabled, question, context)));
  const byName = new Map<string, ChatTool>();
  for (const tool of loaded.flat())
    if (!byName.has(tool.definition.name)) byName.set(tool.definition.name, tool);
  return [...byName.values()].slice(0, MAX_OFFERED_TOOLS);
}

/** The servers of the workspace: every enabled name that is none of another source. */
function createServerSource(enabled: readonly string[], context: ToolsContext): ToolSource {
  const others = new Set(context.toolSources.flatMap(({ names }) => names));
  return {
    names: enabled.filter((name) => !others.has(name)),
    load: (names, question) => loadServerTools(names, question, context),
  };
}

async function loadSource(
  source: ToolSource,
  enabled: readonly string[],
  question: ToolQuestion,
  { log }: Pick<ToolsContext, 'log'>,
): Promise<readonly ChatTool[]> {
  const names = enabled.filter((name) => source.names.includes(name));
  if (names.length === 0) return [];
  try {
    return await source.load(names, question);
  } catch (error) {
    log('tools.source-failed', { name: names.join(' '), ...getErrorFacts(error) });
    return [];
  }
}
