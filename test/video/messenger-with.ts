import { type Messenger, noCanvases } from '../../shared/platforms/ports/index.ts';

/** The messenger with these methods replaced. */
export function messengerWith(stage: Messenger, of: Pick<Messenger, 'postCard' | 'upload'>): Messenger {
  return {
    ...noCanvases,
    ...of,
    canPost: (thread) => stage.canPost(thread),
    showWorking: (...args) => stage.showWorking(...args),
    commandMentions: (...args) => stage.commandMentions(...args),
    removeCard: (...args) => stage.removeCard(...args),
    respond: (...args) => stage.respond(...args),
    sendFilePrivately: (...args) => stage.sendFilePrivately(...args),
    sendDirectMessage: (...args) => stage.sendDirectMessage(...args),
    openModal: (...args) => stage.openModal(...args),
    startThread: (...args) => stage.startThread(...args),
    getPermalink: (...args) => stage.getPermalink(...args),
    findUploads: (...args) => stage.findUploads(...args),
  };
}
