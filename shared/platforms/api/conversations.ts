import { messageId } from '../../domain/index.ts';
import {
  CannotPostError,
  FileUnavailableError,
  HistoryUnavailableError,
  noCanvases,
  type Messenger,
  type Platform,
  type Reply,
} from '../ports/index.ts';

/** The id of messages that are not shown anywhere. */
const NOWHERE = messageId('none');
const doNothing = (): Promise<void> => Promise.resolve();
const rejectUnavailable = (): Promise<never> =>
  Promise.reject(new CannotPostError('no platform shows this conversation'));

/** An answer that no platform shows: it is read from its turn. */
const createUnseenReply = (): Reply => ({
  write: () => undefined,
  step: () => undefined,
  enableStopButton: () => undefined,
  stopStreaming: () => Promise.resolve([]),
  posted: () => Promise.resolve([]),
  stopped: new AbortController().signal,
  hasUnconfirmedPosts: false,
  publish: () => Promise.resolve([]),
});

/** The conversations of integrations: nothing is shown, and there is nothing to read before their first question. */
export const conversationPlatform: Platform = {
  showStatus: doNothing,
  acknowledge: doNothing,
  reply: createUnseenReply,
  findOrphanedMessages: () => Promise.resolve({ ofTurn: [], unattributed: [] }),
  deleteAnswer: doNothing,
  postEphemeral: () => Promise.resolve(false),
  isSuperseded: () => Promise.resolve(false),
  getLocale: () => Promise.resolve(undefined),
  fetchEarlierMessages: () => Promise.resolve({ messages: [] }),
  readHistory: () => Promise.reject(new HistoryUnavailableError('not-member')),
  findMessage: () => Promise.resolve(undefined),
  findRecordings: () => undefined,
  prepareMessageSearch: () => undefined,
  isDeleted: () => Promise.resolve(false),
  nameMentions: () => undefined,
  resolveFile: (_, attachment) => Promise.resolve(attachment),
  listFiles: () => Promise.resolve([]),
  downloadFile: (_, { name }) => Promise.reject(new FileUnavailableError(['files.refused.gone', { name }])),
};

/** Cards, files and messages of a conversation that nobody sees. */
export const conversationMessenger: Messenger = {
  canPost: () => false,
  postCard: () => Promise.resolve(NOWHERE),
  removeCard: doNothing,
  startThread: rejectUnavailable,
  sendDirectMessage: doNothing,
  getPermalink: () => Promise.resolve(undefined),
  upload: rejectUnavailable,
  findUploads: () => Promise.resolve([]),
  respond: doNothing,
  showWorking: doNothing,
  sendFilePrivately: rejectUnavailable,
  openModal: rejectUnavailable,
  commandMentions: () => Promise.resolve(new Map()),
  ...noCanvases,
};
