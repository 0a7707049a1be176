import { isPicture } from '../../conversation/index.ts';
import { say } from '../../texts/index.ts';
import { animate, type AnimateAsk, propose } from '../video/animate.ts';
import type { Deps } from '../ports.ts';
import {
  cancelVideo,
  changePrompt,
  makeProposed,
  myVideos,
  personOf,
  renewLink,
  type Said,
  theirs,
  videoAgain,
} from '../video/actions.ts';
import { jobCard } from '../video/card.ts';
import { ANIMATE, PROPOSAL } from './video-form.ts';
import { type AnyCall, type Called, type CalledCommand, DONE, type Run, tell, words } from './run.ts';
import { BOTH, type CommandSpec, type MessageCommandSpec } from './spec.ts';

export const spec: CommandSpec = {
  name: 'animate',
  platforms: BOTH,
  about: 'video.animate.about',
  options: [
    { name: 'image', kind: 'attachment', types: ['image'] },
    { name: 'prompt', kind: 'text', most: 1_500, rest: true },
  ],
};

export const onMessage: MessageCommandSpec = {
  name: ANIMATE,
  label: 'Animate',
  text: 'video.animate.label',
  platforms: BOTH,
};

/** `list` alone: one's videos. Else the picture that came along, where the platform's commands carry one. */
export const run: Run<CalledCommand> = async (called, deps) => {
  const { invocation, call, options, locale } = called;
  const prompt = String(options['prompt'] ?? '');
  if (/^list$/iu.test(prompt.trim())) return tell(called, await myVideos(called, deps), deps);
  const [picture] = call.attachments;
  if (!picture) return tell(called, words(say(locale, 'video.how')), deps);
  const { id: wish, thread, by } = invocation;
  if (thread) return start(called, { thread, asked: thread.root, picture, prompt, wish }, deps);
  const begun = await deps.stage.begin(invocation, { ...words(say(locale, 'video.begun')), by: by.user });
  return start(called, { thread: begun.thread, asked: begun.message, picture, prompt, wish }, deps);
};

/** The first picture of a message, where the front could open no form: a card that only they see proposes the same. */
export const runOnMessage: Run<Called<'on-message'>> = async (called, deps) => {
  const { invocation, call, locale } = called;
  const { thread, id: asked, attachments } = call.message;
  const picture = attachments.find(isPicture);
  if (!picture) return tell(called, words(say(locale, 'video.no-picture'), 'bad'), deps);
  const ask = { thread, asked, picture, prompt: PROPOSAL, wish: `menu-${invocation.id}` };
  const proposed = await propose({ ...ask, ...of(called) }, deps);
  if (proposed.kind === 'refused') return tell(called, words(proposed.sentence, 'bad'), deps);
  return tell(called, jobCard(proposed.job), deps);
};

/** The buttons of cards, and the forms. */
export const act: Run<Called<'action' | 'form'>> = async (called, deps) => {
  const { call, locale } = called;
  const [id = ''] = call.action.args;
  if (call.action.name === 'video.begin' && call.kind === 'form') return begin(id, call.values, called, deps);
  if (call.action.name === 'video.change-form') {
    const job = await theirs(id, called, deps);
    if (!('id' in job)) return tell(called, words(job.sentence, job.tone), deps);
    return tell(called, words(say(locale, 'video.slow')), deps);
  }
  const said = await deed(call.action.name, id, called, deps);
  return said ? tell(called, words(said.sentence, said.tone), deps) : DONE;
};

/** The form of a message's picture was sent: sent again, it is the same wish. */
async function begin(id: string, values: Values, called: Called<'action' | 'form'>, deps: Deps) {
  if (!deps.videos) return tell(called, words(say(called.locale, 'video.not-here'), 'bad'), deps);
  const message = await deps.videos.pointed(id);
  const picture = message?.attachments.find(isPicture);
  if (!message || !picture) return tell(called, words(say(called.locale, 'video.form-gone'), 'bad'), deps);
  const { thread, id: asked } = message;
  return start(called, { thread, asked, picture, wish: `menu-${id}`, ...wantedIn(values) }, deps);
}

async function deed(name: string, id: string, called: Called<'action' | 'form'>, deps: Deps): Promise<Said> {
  const { call } = called;
  switch (name) {
    case 'video.cancel':
      return cancelVideo(id, called, deps);
    case 'video.make':
      return makeProposed(id, called, deps, call.kind === 'form' ? wantedIn(call.values) : undefined);
    case 'video.again':
      return videoAgain(id, called, deps);
    case 'video.change':
      return call.kind === 'form'
        ? changePrompt(id, wantedIn(call.values), called, deps)
        : Promise.resolve(undefined);
    case 'video.link':
      return renewLink(id, called, deps);
    default:
      return Promise.resolve(undefined);
  }
}

type Values = Readonly<Record<string, string>>;
const wantedIn = ({ prompt = '', model }: Values) => ({ prompt, model });

type Place = Omit<AnimateAsk, 'by' | 'admin' | 'locale'>;

async function start(called: AnyCall | CalledCommand, ask: Place, deps: Deps) {
  const prompt = ask.prompt.trim() === '' ? PROPOSAL : ask.prompt;
  const started = await animate({ ...ask, ...of(called), prompt }, deps);
  if (started.kind === 'refused') return tell(called, words(started.sentence, 'bad'), deps);
  const { kind, warning } = started;
  const sentence = say(called.locale, kind === 'already' ? 'video.already' : 'video.started');
  return tell(called, words([sentence, warning].filter(Boolean).join('\n')), deps);
}

const of = ({ invocation, locale, admin }: AnyCall) => ({ by: personOf(invocation), locale, admin });
