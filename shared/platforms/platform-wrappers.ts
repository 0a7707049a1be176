import type { Interaction, Thread, TurnRef, UserId } from '../domain/index.ts';
import { getMessageTimeMs } from '../utils/index.ts';
import { FileUnavailableError, type Platform, type Messenger } from './ports/index.ts';

/** Several platforms, or workspaces of one, as one: each call goes to the one that `pick` has for its thread. */
export function createPlatformRouter(pick: (thread: Omit<Thread, 'root'>) => Platform): Platform {
  const choosePlatform = ({ thread }: TurnRef): Platform => pick(thread);
  return {
    showStatus: (turn, ...rest) => choosePlatform(turn).showStatus(turn, ...rest),
    getLocale: (turn, user) => choosePlatform(turn).getLocale(turn, user),
    findOrphanedMessages: (turn) => choosePlatform(turn).findOrphanedMessages(turn),
    reply: (turn, ...rest) => choosePlatform(turn).reply(turn, ...rest),
    acknowledge: (turn) => choosePlatform(turn).acknowledge(turn),
    postEphemeral: (turn, ...rest) => choosePlatform(turn).postEphemeral(turn, ...rest),
    isSuperseded: (turn, token) => choosePlatform(turn).isSuperseded(turn, token),
    deleteAnswer: (turn, ...rest) => choosePlatform(turn).deleteAnswer(turn, ...rest),
    fetchEarlierMessages: (turn) => choosePlatform(turn).fetchEarlierMessages(turn),
    readHistory: (place, range) => pick(place).readHistory(place, range),
    findMessage: (place, message) => pick(place).findMessage(place, message),
    findRecordings: (turn) => choosePlatform(turn).findRecordings(turn),
    nameMentions: (place, texts) => pick(place).nameMentions(place, texts),
    prepareMessageSearch: (turn, token) => choosePlatform(turn).prepareMessageSearch(turn, token),
    isDeleted: (turn) => choosePlatform(turn).isDeleted(turn),
    resolveFile: (place, attachment) => pick(place).resolveFile(place, attachment),
    listFiles: (turn, withThread) => choosePlatform(turn).listFiles(turn, withThread),
    downloadFile: (turn, attachment, maxBytes) =>
      choosePlatform(turn).downloadFile(turn, attachment, maxBytes),
  };
}

/** The same for what is shown beside answers; a call of a person goes to the one of its platform and workspace. */
export function createMessengerRouter(
  pick: (place: Pick<Interaction, 'platform' | 'workspace'>) => Messenger,
): Messenger {
  return {
    canPost: (thread) => pick(thread).canPost(thread),
    postCard: (thread, ...rest) => pick(thread).postCard(thread, ...rest),
    removeCard: (thread, existing, options) => pick(thread).removeCard(thread, existing, options),
    respond: (interaction, ...rest) => pick(interaction).respond(interaction, ...rest),
    showWorking: (thread, ...rest) => pick(thread).showWorking(thread, ...rest),
    commandMentions: (place) => pick(place).commandMentions(place),
    sendFilePrivately: (interaction, ...rest) => pick(interaction).sendFilePrivately(interaction, ...rest),
    sendDirectMessage: (to, ...rest) => pick(to).sendDirectMessage(to, ...rest),
    openModal: (interaction, form) => pick(interaction).openModal(interaction, form),
    startThread: (interaction, ...rest) => pick(interaction).startThread(interaction, ...rest),
    getPermalink: (thread, message) => pick(thread).getPermalink(thread, message),
    upload: (thread, ...rest) => pick(thread).upload(thread, ...rest),
    hasCanvases: (place) => pick(place).hasCanvases(place),
    createCanvas: (thread, ...rest) => pick(thread).createCanvas(thread, ...rest),
    publishCanvas: (thread, ...rest) => pick(thread).publishCanvas(thread, ...rest),
    findUploads: (thread, ...rest) => pick(thread).findUploads(thread, ...rest),
  };
}

/** The moments (ms since 1970) up to which messages of people, threads and workspaces are erased. */
export type ErasedUntil = {
  readonly ofPeople: (
    of: Pick<Thread, 'platform' | 'workspace'>,
    people: Iterable<UserId>,
  ) => Promise<ReadonlyMap<UserId, number>>;
  /** For a workspace: when it removed the app or revoked its access. */
  readonly of: (
    subject: { readonly thread: Thread } | Pick<Thread, 'platform' | 'workspace'>,
  ) => Promise<number | undefined>;
  /** When a message was sent (ms since 1970). */
  readonly sentAtMs: (message: string) => number;
};

/** Looks these moments up in what is stored. */
export const toErasedUntil = (moments: {
  readonly find: ErasedUntil['of'];
  readonly findForPeople: ErasedUntil['ofPeople'];
}): ErasedUntil => ({
  of: (subject) => moments.find(subject),
  ofPeople: (of, people) => moments.findForPeople(of, people),
  sentAtMs: getMessageTimeMs,
});

type AuthoredMessage = {
  readonly by?: UserId | undefined;
  readonly at: number;
  readonly isBot?: boolean | undefined;
};

/**
 * Reads no message that is older than the erasure of its author or thread. Everything that reads for a prompt goes through here. Where
 * a message is left out, earlier messages of apps are left out too: an answer may repeat it.
 */
export function dropErasedMessages(platform: Platform, erased: ErasedUntil): Platform {
  const removeErased = async <T extends AuthoredMessage>(
    place: Pick<Thread, 'platform' | 'workspace'>,
    lines: readonly T[],
  ): Promise<T[]> => {
    const until = await erased.ofPeople(
      place,
      lines.flatMap(({ by }) => by ?? []),
    );
    const isErased = ({ by, at }: AuthoredMessage) => by !== undefined && at <= (until.get(by) ?? 0);
    const last = Math.max(0, ...lines.filter(isErased).map(({ by }) => (by && until.get(by)) ?? 0));
    return lines.filter((one) => !isErased(one) && !(one.isBot && one.at <= last));
  };
  const isKept = async (of: Pick<Thread, 'platform' | 'workspace'>, author: UserId, message: string) => {
    const until = await erased.ofPeople(of, [author]);
    return erased.sentAtMs(message) > (until.get(author) ?? 0);
  };
  return {
    ...platform,
    async fetchEarlierMessages(turn) {
      const before = await platform.fetchEarlierMessages(turn);
      if (before.messages.length === 0) return before;
      const ofThread = (await erased.of({ thread: turn.thread })) ?? 0;
      const messages = await removeErased(
        turn.thread,
        before.messages.filter(({ at }) => at > ofThread),
      );
      return { ...before, messages };
    },
    async readHistory(place, range) {
      const read = await platform.readHistory(place, range);
      return { ...read, messages: await removeErased(place, read.messages) };
    },
    async findMessage(place, message) {
      const match = await platform.findMessage(place, message);
      return match && (await isKept(place, match.author, match.id)) ? match : undefined;
    },
    async downloadFile(turn, attachment, maxBytes) {
      const { origin } = attachment;
      if (origin && !(await isKept(turn.thread, origin.author, origin.message)))
        throw new FileUnavailableError(['files.refused.gone', { name: attachment.name }]);
      return platform.downloadFile(turn, attachment, maxBytes);
    },
    prepareMessageSearch(turn, token) {
      const search = platform.prepareMessageSearch(turn, token);
      return search && (async (...args) => removeErased(turn.thread, await search(...args)));
    },
    findRecordings(turn) {
      const search = platform.findRecordings(turn);
      return (
        search &&
        (async () => {
          const messages = await search();
          const keeps = await Promise.all(messages.map((one) => isKept(turn.thread, one.author, one.id)));
          return messages.filter((_, i) => keeps[i]);
        })
      );
    },
  };
}
