import type { ConnectTask, TaskResult, UserId } from '../domain/index.ts';
import type { ToolPlace, ToolServer } from '../storage/index.ts';
import { formatToolsCommand, localize } from '../i18n/index.ts';
import { resolveReaderLocale } from '../settings/index.ts';
import type { ChatContext } from '../chat/index.ts';
import { getErrorFacts } from '../utils/index.ts';
import { finishSignIn } from './connect-server.ts';
import type { ToolsContext } from './context.ts';
import { requestToolServer } from './request-server.ts';
import { mergeTools } from './server-card.ts';

type EndContext = ToolsContext & Pick<ChatContext, 'platform' | 'settingsStore'>;

/**
 * Takes the sign-in of a person who came back from the page of a server, and asks the person who began it to confirm it. A code works once: after an
 * interruption the person begins again.
 */
export async function endSignIn(task: ConnectTask, context: EndContext): Promise<TaskResult> {
  const end = await finishSignIn(task, context);
  if (!end) return { kind: 'done' };
  const { user, server, failure, platform, workspace } = end;
  if (failure !== undefined) context.log('tool.sign-in-failed', { name: server, reason: failure });
  const turn = { thread: task.thread, message: task.message, asker: user, askerWorkspace: workspace };
  const locale = await resolveReaderLocale(user, turn, context);
  const command = (action: 'connect' | 'confirm', what: string): string =>
    formatToolsCommand(action, what, { platform, locale }, context.settings);
  const sentence =
    failure === undefined
      ? localize(locale, 'tools.confirm', { server, command: command('confirm', 'XXXX-XXXX') })
      : localize(locale, 'tools.connect-failed', { server, command: command('connect', server) });
  await context.messenger
    .sendDirectMessage(end, user, {
      tone: failure === undefined ? undefined : 'bad',
      parts: [{ kind: 'text', markdown: sentence }],
    })
    // They may accept no messages. The page says what to do, too.
    .catch((error: unknown) => context.log('tool.notice-failed', getErrorFacts(error)));
  return { kind: 'done' };
}

/** Reads the tools of a server whose list can be read only now that somebody is signed in. All of them are off. */
export async function readFirstTools(
  place: ToolPlace,
  server: ToolServer,
  user: UserId,
  context: ToolsContext,
): Promise<void> {
  if (server.tools.length > 0) return;
  const { signal } = new AbortController();
  const listed = await requestToolServer(place, server, { kind: 'list' }, user, context, signal);
  if (listed.kind !== 'listed') return;
  const tools = mergeTools([], listed.tools);
  await context.toolServers.servers.change(place, server.name, (stored) =>
    stored.tools.length > 0 || stored.url !== server.url ? undefined : { ...stored, tools },
  );
}
