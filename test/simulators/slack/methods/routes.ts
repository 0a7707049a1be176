import type { Args } from '../args.ts';
import { completeUpload, getUploadUrl } from '../uploads.ts';
import type { Tier } from '../tiers.ts';
import type { ApiSuccess, SimulatorContext } from '../context.ts';
import { createCanvas, deleteCanvas, editCanvas, setCanvasAccess } from './canvases.ts';
import { history, info, members, open, replies } from './conversations.ts';
import { filesDelete, filesInfo } from './files.ts';
import {
  addReaction,
  authTest,
  botsInfo,
  listGroups,
  removeReaction,
  usersInfo,
  usersList,
} from './users.ts';
import { permalink, postEphemeral, postMessage, remove, update } from './posting.ts';
import { searchContext } from './search.ts';
import { setSessionStatus } from './sessions.ts';
import { appendStream, startStream, stopStream } from './streams.ts';
import { openView, publishView, pushView, updateView } from '../views.ts';
import { setStatus } from './threads.ts';

export type Route = {
  readonly run: (context: SimulatorContext, args: Args) => ApiSuccess;
  readonly tier: Tier;
  /** One of these scopes suffices; without any, every token does. */
  readonly scopes: readonly string[];
};

const HISTORY = ['channels:history', 'groups:history', 'im:history', 'mpim:history'];
const READ = ['channels:read', 'groups:read', 'im:read', 'mpim:read'];

/** Every method of the simulator. */
export const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['agents.sessions.setStatus', { run: setSessionStatus, tier: 't3', scopes: ['chat:write'] }],
  ['assistant.search.context', { run: searchContext, tier: 't2', scopes: ['search:read.public'] }],
  [
    'assistant.threads.setStatus',
    { run: setStatus, tier: 'special', scopes: ['chat:write', 'assistant:write'] },
  ],
  ['auth.test', { run: authTest, tier: 'special', scopes: [] }],
  ['bots.info', { run: botsInfo, tier: 't3', scopes: ['users:read'] }],
  ['canvases.access.set', { run: setCanvasAccess, tier: 't3', scopes: ['canvases:write'] }],
  ['canvases.create', { run: createCanvas, tier: 't2', scopes: ['canvases:write'] }],
  ['canvases.delete', { run: deleteCanvas, tier: 't3', scopes: ['canvases:write'] }],
  ['canvases.edit', { run: editCanvas, tier: 't3', scopes: ['canvases:write'] }],
  ['chat.appendStream', { run: appendStream, tier: 't4', scopes: ['chat:write'] }],
  ['chat.delete', { run: remove, tier: 't3', scopes: ['chat:write'] }],
  ['chat.getPermalink', { run: permalink, tier: 'special', scopes: [] }],
  ['chat.postEphemeral', { run: postEphemeral, tier: 't4', scopes: ['chat:write'] }],
  ['chat.postMessage', { run: postMessage, tier: 'special', scopes: ['chat:write'] }],
  ['chat.startStream', { run: startStream, tier: 't2', scopes: ['chat:write'] }],
  ['chat.stopStream', { run: stopStream, tier: 't2', scopes: ['chat:write'] }],
  ['chat.update', { run: update, tier: 't3', scopes: ['chat:write'] }],
  ['conversations.history', { run: history, tier: 't3', scopes: HISTORY }],
  ['conversations.info', { run: info, tier: 't3', scopes: READ }],
  ['conversations.members', { run: members, tier: 't4', scopes: READ }],
  ['conversations.open', { run: open, tier: 't3', scopes: ['im:write', 'mpim:write'] }],
  ['conversations.replies', { run: replies, tier: 't3', scopes: HISTORY }],
  ['files.completeUploadExternal', { run: completeUpload, tier: 't4', scopes: ['files:write'] }],
  ['files.delete', { run: filesDelete, tier: 't3', scopes: ['files:write'] }],
  ['files.getUploadURLExternal', { run: getUploadUrl, tier: 't4', scopes: ['files:write'] }],
  ['files.info', { run: filesInfo, tier: 't4', scopes: ['files:read'] }],
  ['reactions.add', { run: addReaction, tier: 't3', scopes: ['reactions:write'] }],
  ['reactions.remove', { run: removeReaction, tier: 't2', scopes: ['reactions:write'] }],
  ['usergroups.list', { run: listGroups, tier: 't2', scopes: ['usergroups:read'] }],
  ['users.info', { run: usersInfo, tier: 't4', scopes: ['users:read'] }],
  ['users.list', { run: usersList, tier: 't2', scopes: ['users:read'] }],
  ['views.open', { run: openView, tier: 't4', scopes: [] }],
  ['views.publish', { run: publishView, tier: 't4', scopes: [] }],
  ['views.push', { run: pushView, tier: 't4', scopes: [] }],
  ['views.update', { run: updateView, tier: 't4', scopes: [] }],
]);
