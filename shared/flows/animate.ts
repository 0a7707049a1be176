import type { Attachment, MessageId, Thread } from '../conversation/index.ts';
import type { Job, Person } from '../jobs/index.ts';
import type { Deps } from './ports.ts';
import { SAYS } from './video-words.ts';
import { sendVideo } from './video-task.ts';

/** What a person asks to have made. */
export type AnimateAsk = {
  /** The same for the same wish: it is granted once. */
  readonly wish: string;
  readonly by: Person;
  readonly thread: Thread;
  readonly asked: MessageId;
  readonly picture: Attachment;
  readonly prompt: string;
  /** The usual one, if none is named. */
  readonly model?: string | undefined;
};

export type Started =
  | { readonly kind: 'started' | 'already'; readonly job: Job }
  | { readonly kind: 'refused'; readonly sentence: string };

/** The longest description that is handed on. */
export const LONGEST_PROMPT = 1_500;
/** A job whose task was lost is found again after this. */
const LOST_AFTER_MS = 60_000;

/**
 * Begins a video: one job in the table, with the key that every try to hand it in will use, then one task. The same wish
 * again, by a double click or a second delivery, finds that job and costs nothing. Nothing is spent before the person is
 * found to be allowed to.
 */
export async function animate(
  ask: AnimateAsk,
  deps: Pick<Deps, 'videos' | 'queue' | 'time' | 'log'>,
): Promise<Started> {
  const { videos } = deps;
  const prompt = ask.prompt.trim();
  const model = videos?.models.find(({ name }) => name === ask.model) ?? videos?.models[0];
  if (!videos || !model) return { kind: 'refused', sentence: SAYS.notHere };
  if (prompt === '') return { kind: 'refused', sentence: SAYS.noPrompt };
  if (prompt.length > LONGEST_PROMPT) return { kind: 'refused', sentence: SAYS.longPrompt(LONGEST_PROMPT) };
  const known = await videos.jobs.wished(ask.by, ask.wish);
  if (known) {
    await sendVideo(known, 'asked', deps.queue);
    return { kind: 'already', job: known };
  }
  const allowed = await videos.mayAnimate({
    by: ask.by,
    channel: ask.thread.channel,
    model: model.name,
    price: model.price,
  });
  if (!allowed.may) return { kind: 'refused', sentence: allowed.sentence };
  const { by, thread, asked, picture } = ask;
  const { job, isNew } = await videos.jobs.create(ask.wish, {
    by,
    thread,
    asked,
    picture,
    prompt,
    model: model.name,
    price: model.price,
    key: videos.newKey(),
    due: deps.time.now() + LOST_AFTER_MS,
  });
  await sendVideo(job, 'asked', deps.queue);
  deps.log('video.asked', { job: job.id, isNew });
  return { kind: isNew ? 'started' : 'already', job };
}
