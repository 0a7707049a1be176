import { animate, type AnimateAsk } from '../animate.ts';
import type { Deps } from '../ports.ts';
import { cancelVideo, myVideos, personOf, renewLink, videoAgain } from '../video-actions.ts';
import { SAYS } from '../video-words.ts';
import { type AnyCall, type Called, type CalledCommand, DONE, type Run, tell, words } from './run.ts';
import { BOTH, type CommandSpec, type MessageCommandSpec } from './spec.ts';

export const spec: CommandSpec = {
  name: 'animate',
  platforms: BOTH,
  answers: 'private',
  about: 'video.animate.about',
  options: [
    { name: 'image', about: 'video.animate.image.about', kind: 'attachment', types: ['image'] },
    { name: 'prompt', about: 'video.animate.prompt.about', kind: 'text', most: 1_500, rest: true },
  ],
};

export const onMessage: MessageCommandSpec = {
  name: 'animate',
  label: 'Animate',
  text: 'video.animate.label',
  platforms: BOTH,
  answers: 'private',
};

/** `list` alone: one's videos. Else the picture that came along, where the platform's commands carry one. */
export const run: Run<CalledCommand> = async (called, deps) => {
  const { invocation, call, options } = called;
  const prompt = String(options['prompt'] ?? '');
  if (/^list$/iu.test(prompt.trim())) return tell(called, await myVideos(personOf(invocation), deps), deps);
  const [picture] = call.attachments;
  const { thread } = invocation;
  if (!picture) return tell(called, words(SAYS.how), deps);
  if (!thread) {
    const begun = await deps.stage.begin(invocation, words(SAYS.begun(invocation.by.user)));
    return start(
      called,
      { thread: begun.thread, asked: begun.message, picture, prompt, wish: invocation.id },
      deps,
    );
  }
  return start(called, { thread, asked: thread.root, picture, prompt, wish: invocation.id }, deps);
};

/** The first picture of a message, by the description that is proposed; another is a button away. */
export const runOnMessage: Run<Called<'on-message'>> = (called, deps) => {
  const { thread, id: asked, attachments } = called.call.message;
  const picture = attachments.find(isPicture);
  if (!picture) return tell(called, words(SAYS.noPicture, 'bad'), deps);
  const ask = { thread, asked, picture, prompt: SAYS.proposal };
  // Chosen twice for one picture, it is one video: the card of the first has a button for another.
  return start(called, { ...ask, wish: `menu-${asked}-${picture.id}` }, deps);
};

/** The buttons of cards. */
export const act: Run<Called<'action' | 'form'>> = async (called, deps) => {
  const { call } = called;
  const [id = ''] = call.action.args;
  const said = await deed(call.action.name, id, called, deps);
  return said ? tell(called, words(said.sentence, said.tone), deps) : DONE;
};

function deed(name: string, id: string, { invocation, call }: Called<'action' | 'form'>, deps: Deps) {
  switch (name) {
    case 'video.cancel':
      return cancelVideo(id, invocation, deps);
    case 'video.again':
      return videoAgain(id, invocation, deps);
    case 'video.change':
      return call.kind === 'form'
        ? videoAgain(id, invocation, deps, call.values['prompt'] ?? '')
        : Promise.resolve({ sentence: SAYS.change, tone: undefined });
    case 'video.link':
      return renewLink(id, deps);
    default:
      return Promise.resolve(undefined);
  }
}

async function start(called: Pick<AnyCall, 'invocation'>, ask: Omit<AnimateAsk, 'by'>, deps: Deps) {
  const prompt = ask.prompt.trim() === '' ? SAYS.proposal : ask.prompt;
  const started = await animate({ ...ask, prompt, by: personOf(called.invocation) }, deps);
  if (started.kind === 'refused') return tell(called, words(started.sentence, 'bad'), deps);
  return tell(called, words(started.kind === 'already' ? SAYS.already : SAYS.started), deps);
}

const isPicture = ({ mimetype, name }: { readonly mimetype: string; readonly name: string }): boolean =>
  mimetype.startsWith('image/') || /\.(?:png|jpe?g|gif|webp)$/iu.test(name);
