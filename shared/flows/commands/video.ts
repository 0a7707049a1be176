import { lookUpVideo, videoCard } from '../video-actions.ts';
import { SAYS } from '../video-words.ts';
import { type CalledCommand, type Run, tell, words } from './run.ts';
import { BOTH, type CommandSpec } from './spec.ts';

export const spec: CommandSpec = {
  name: 'video',
  platforms: BOTH,
  answers: 'private',
  about: 'video.look-up.about',
  options: [{ name: 'id', about: 'video.look-up.id.about', kind: 'text', required: true }],
};

/** What the service knows of a stored video. */
export const run: Run<CalledCommand> = async (called, deps) => {
  const video = await lookUpVideo(String(called.options['id']), deps);
  return tell(called, video ? videoCard(video) : words(SAYS.unknownVideo, 'bad'), deps);
};
