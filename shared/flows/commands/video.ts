import { say } from '../../texts/index.ts';
import { lookUpVideo, videoCard } from '../video/look-up.ts';
import { type CalledCommand, type Run, tell, words } from './run.ts';
import { BOTH, type CommandSpec } from './spec.ts';

export const spec: CommandSpec = {
  name: 'video',
  platforms: BOTH,
  about: 'video.look-up.about',
  options: [{ name: 'id', kind: 'text', required: true }],
};

/** What the service knows of a stored video. */
export const run: Run<CalledCommand> = async (called, deps) => {
  const { locale } = called;
  const video = await lookUpVideo(String(called.options['id']), called.invocation, deps);
  return tell(called, video ? videoCard(video, locale) : words(say(locale, 'video.unknown'), 'bad'), deps);
};
