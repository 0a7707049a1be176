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
const nothing = (): Promise<void> => Promise.resolve();
const unavailable = (): Promise<never> =>
  Promise.reject(new CannotPostError('no platform shows this conversation'));

/** An answer that no platform shows: it is read from its turn. */
const unseenReply = (): Reply => ({
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
  showStatus: nothing,
  acknowledge: nothing,
  reply: unseenReply,
  findOrphanedMessages: () => Promise.resolve({ ofTurn: [], unattributed: [] }),
  deleteAnswer: nothing,
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
  downloadFile: (_, { name }) => Promise.reject(new FileUnavailableError(['files.refused.gone', { name }])),
};

/** Cards, files and messages of a conversation that nobody sees. */
export const conversationMessenger: Messenger = {
  postCard: () => Promise.resolve(NOWHERE),
  removeCard: nothing,
  startThread: unavailable,
  sendDirectMessage: nothing,
  getPermalink: () => Promise.resolve(undefined),
  upload: unavailable,
  findUploads: () => Promise.resolve([]),
  respond: nothing,
  showWorking: nothing,
  sendFilePrivately: unavailable,
  openModal: unavailable,
  commandMentions: () => Promise.resolve(new Map()),
  ...noCanvases,
};
