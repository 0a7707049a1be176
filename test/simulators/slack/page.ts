import { type Page, servePage } from '../page-server.ts';
import { serveAction, servePageFile } from './page-actions.ts';
import type { SlackWorkspace } from './user-interactions.ts';
import type { Change } from './state.ts';
import type { Workspace } from './workspace.ts';

/** The page of this workspace. */
export const createPage = (side: SlackWorkspace): Page =>
  servePage<Change>({
    html: 'index.html',
    everything: () => everything(side.core),
    onChange: (listener) => side.core.onChange((change) => listener(withoutContent(change))),
    file: (request, response, path) => servePageFile(side.core, request, response, path),
    action: (request, response, path) => serveAction(side, request, response, path),
  });

function everything(workspace: Workspace): object {
  const { teamName, botUserId, botName, users, shortcuts = [] } = workspace.identity;
  const stoppable = workspace.identity.subscriptions.includes('agent_session_stopped');
  const bot = { id: botUserId, name: botName };
  return { teamName, bot, users, shortcuts, stoppable, changes: workspace.changes().map(withoutContent) };
}

/** The page receives file metadata, and fetches what it shows. */
const withoutContent = (change: Change): Change =>
  change.kind === 'file' ? { ...change, content: '' } : change;
