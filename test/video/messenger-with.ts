import type { Messenger } from '../../shared/platforms/ports/index.ts';

/** The messenger with these methods replaced. */
export function messengerWith(stage: Messenger, of: Pick<Messenger, 'postCard' | 'upload'>): Messenger {
  return {
    ...of,
    showWorking: (...given) => stage.showWorking(...given),
    commandMentions: (...given) => stage.commandMentions(...given),
    removeCard: (...given) => stage.removeCard(...given),
    respond: (...given) => stage.respond(...given),
    sendFilePrivately: (...given) => stage.sendFilePrivately(...given),
    sendDirectMessage: (...given) => stage.sendDirectMessage(...given),
    openModal: (...given) => stage.openModal(...given),
    startThread: (...given) => stage.startThread(...given),
    getPermalink: (...given) => stage.getPermalink(...given),
    findUploads: (...given) => stage.findUploads(...given),
  };
}
