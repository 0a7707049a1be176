import type { ConnectTask, TaskResult } from '../domain/index.ts';
import { formatCommand, localize, toolsLabel } from '../i18n/index.ts';
import { resolveReaderLocale } from '../settings/index.ts';
import type { ChatContext } from '../chat/index.ts';
import { errorName } from '../utils/index.ts';
import { finishSignIn, type SignInEnd } from './connect-server.ts';
import type { ToolsContext } from './context.ts';
import { requestToolServer } from './request-server.ts';
import { mergeTools } from './server-card.ts';

type EndContext = ToolsContext & Pick<ChatContext, 'platform' | 'settingsStore'>;

/**
 * Ends the sign-in of a person who came back from the page of a server, reads its tools if there are none yet, and tells the person. A code works
 * once: after an interruption the person begins again.
 */
export async function endSignIn(task: ConnectTask, context: EndContext): Promise<TaskResult> {
  const end = await finishSignIn(task, context);
  if (!end) return { kind: 'done' };
  const { user, server, isConnected, platform, workspace } = end;
  if (isConnected) await readFirstTools(end, context);
  const turn = { thread: task.thread, message: task.message, asker: user, askerWorkspace: workspace };
  const locale = await resolveReaderLocale(user, turn, context);
  const command = formatCommand(toolsLabel, { platform, locale }, context.settings, 'connect', server);
  const sentence = isConnected
    ? localize(locale, 'tools.connected', { server })
    : localize(locale, 'tools.connect-failed', { server, command });
  await context.messenger
    .sendDirectMessage(end, user, {
      tone: isConnected ? 'good' : 'bad',
      parts: [{ kind: 'text', markdown: sentence }],
    })
    // They may accept no messages. The command shows the state, too.
    .catch((error: unknown) => context.log('tool.notice-failed', { error: errorName(error) }));
  return { kind: 'done' };
}

/** The list of a server with a sign-in can be read only now. All of its tools are off. */
async function readFirstTools(
  { server: name, user, ...place }: SignInEnd,
  context: EndContext,
): Promise<void> {
  const server = await context.toolServers.servers.find(place, name);
  if (!server || server.tools.length > 0) return;
  const { signal } = new AbortController();
  const listed = await requestToolServer(place, server, { kind: 'list' }, user, context, signal);
  if (listed.kind !== 'listed') return;
  await context.toolServers.servers.save(place, { ...server, tools: mergeTools([], listed.tools) });
}
