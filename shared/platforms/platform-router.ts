import type { Interaction, Thread, TurnRef } from '../domain/index.ts';
import type { Platform, Messenger } from './ports/index.ts';

/** Several platforms, or workspaces of one, as one: each call goes to the one that `pick` has for its thread. */
export function platformRouter(pick: (thread: Omit<Thread, 'root'>) => Platform): Platform {
  const at = ({ thread }: TurnRef): Platform => pick(thread);
  return {
    showStatus: (turn, ...rest) => at(turn).showStatus(turn, ...rest),
    getLocale: (turn, user) => at(turn).getLocale(turn, user),
    findOrphanedMessages: (turn) => at(turn).findOrphanedMessages(turn),
    reply: (turn, ...rest) => at(turn).reply(turn, ...rest),
    acknowledge: (turn) => at(turn).acknowledge(turn),
    postEphemeral: (turn, ...rest) => at(turn).postEphemeral(turn, ...rest),
    isSuperseded: (turn, ticket) => at(turn).isSuperseded(turn, ticket),
    deleteAnswer: (turn, ...rest) => at(turn).deleteAnswer(turn, ...rest),
    fetchEarlierMessages: (turn) => at(turn).fetchEarlierMessages(turn),
    readHistory: (place, range) => pick(place).readHistory(place, range),
    findMessage: (place, message) => pick(place).findMessage(place, message),
    findRecordings: (turn) => at(turn).findRecordings(turn),
    isDeleted: (turn) => at(turn).isDeleted(turn),
    resolveFile: (place, attachment) => pick(place).resolveFile(place, attachment),
    downloadFile: (turn, attachment, mostBytes) => at(turn).downloadFile(turn, attachment, mostBytes),
  };
}

/** The same for what is shown beside answers; a call of a person goes to the one of its platform and workspace. */
export function messengerRouter(
  pick: (place: Pick<Interaction, 'platform' | 'workspace'>) => Messenger,
): Messenger {
  return {
    postCard: (thread, ...rest) => pick(thread).postCard(thread, ...rest),
    removeCard: (thread, existing, options) => pick(thread).removeCard(thread, existing, options),
    respond: (invocation, ...rest) => pick(invocation).respond(invocation, ...rest),
    showWorking: (thread, ...rest) => pick(thread).showWorking(thread, ...rest),
    commandMentions: (place) => pick(place).commandMentions(place),
    sendFilePrivately: (invocation, ...rest) => pick(invocation).sendFilePrivately(invocation, ...rest),
    sendDirectMessage: (to, ...rest) => pick(to).sendDirectMessage(to, ...rest),
    openModal: (invocation, form) => pick(invocation).openModal(invocation, form),
    startThread: (invocation, ...rest) => pick(invocation).startThread(invocation, ...rest),
    getPermalink: (thread, message) => pick(thread).getPermalink(thread, message),
    upload: (thread, ...rest) => pick(thread).upload(thread, ...rest),
    findUploads: (thread, ...rest) => pick(thread).findUploads(thread, ...rest),
  };
}
