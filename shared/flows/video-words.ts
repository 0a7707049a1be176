import type { JobState } from '../jobs/index.ts';

/** What people are told of videos. */
export const SAYS = {
  notHere: 'Videos are not set up here. Whoever runs this bot can name a model that makes them.',
  noPrompt: 'Say in a few words what is to happen in the video.',
  longPrompt: (most: number): string => `That description is too long: ${most} characters at most.`,
  noPicture: 'There is no picture here that I could animate. Send one as PNG, JPEG, WebP or GIF.',
  proposal: 'Bring this picture gently to life: small, natural movements, a still camera.',
  notYours: 'Only the person who asked for this video can do that.',
  gone: 'That video is not there any more.',
  late: 'This video is finished already, or being delivered: it cannot be cancelled any more.',
  cancelling: 'I have asked for it to be cancelled.',
  already: 'That has been started already: see the card in its thread.',
  none: 'You have no videos.',
  how: 'Choose *Animate* in the menu of a message that has a picture, or mention me under one and say what is to happen. `list` shows your videos.',
  begun: (user: string): string => `<@${user}> has a picture animated.`,
  started: 'It has begun: a card in the thread shows how far it is and what it costs.',
  change: 'Mention me in the thread and say what is to be different.',
  unknownVideo: 'There is no video of that id.',
} as const;

/** Why a job ended without a video, for people. */
export const REASONS = {
  'not-a-picture': 'The file is no picture that I can use: send a PNG, JPEG, WebP or GIF.',
  damaged: 'The picture is damaged. Save it anew and send it again.',
  'too-large': 'The picture is too large: 8,192 pixels a side and 40 megapixels at most. Send a smaller one.',
  'too-small': 'The picture is too small: it needs 16 pixels a side at least.',
  'not-taken': 'The video service did not take the job for an hour. Nothing was made; ask again later.',
  'no-video': 'The video service says that it is done, but gave no video. Ask again.',
  'not-a-video': 'What the video service gave is no video. Ask again.',
  'video-too-large': 'The video is larger than the 200 MB that I can take in.',
  'no-thread': 'The thread is gone.',
  lost: 'The video was lost before it could be shown. Ask again.',
} as const;
export type Reason = keyof typeof REASONS;

export const HEADINGS: Readonly<Record<JobState, string>> = {
  requested: 'A video is being asked for',
  submitted: 'A video was asked for',
  queued: 'A video is waiting in line',
  running: 'A video is being made',
  delivering: 'A video is ready and on its way',
  delivered: 'A video was made',
  failed: 'No video came of this',
  cancelled: 'The video was cancelled',
  expired: 'The video did not come',
};

export const price = (dollars: string | undefined): string =>
  dollars === undefined ? 'not known' : `about $${dollars}`;

/** How long something took, in ms, for people. */
export function took(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
