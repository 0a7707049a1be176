import { type Page, servePage } from '../page-server.ts';
import type { Discord } from './discord.ts';
import { serveAction, servePageFile } from './page-actions.ts';
import type { UserInteractions } from './user-interactions.ts';
import type { Change } from './state.ts';

/** The page of this Discord. */
export const createPage = (core: Discord, side: UserInteractions): Page =>
  servePage<Change>({
    html: 'discord.html',
    everything: () => ({ changes: core.changes().map(withoutContent) }),
    onChange: (listener) => core.onChange((change) => listener(withoutContent(change))),
    file: (request, response, path) => servePageFile(core, request, response, path),
    action: (request, response, path) => serveAction(core, side, request, response, path),
  });

/** The page receives file metadata, and fetches what it shows; it never receives tokens. */
function withoutContent(change: Change): Change {
  if (change.kind === 'file') return { ...change, content: '' };
  if (change.kind === 'interaction') return { ...change, interaction: { ...change.interaction, token: '' } };
  return change;
}
