import { expect, test } from '@jest/globals';
import { userId } from '../../shared/domain/index.ts';
import { onAction, runMessageCommand } from '../../shared/commands/definitions/animate.ts';
import { formatVideoCaption } from '../../shared/video/display/card.ts';
import { submitJob } from '../../shared/video/submit-job.ts';
import { buttonPress, delivery, jobs, messageCommand, modalSubmission } from './video-interactions.ts';
import { formFor } from './front.ts';
import { person, PICTURE, thread, VideoHarness } from './video-harness.ts';

const ADMIN = { ...person, user: userId('U7') };
const byAdmin = { by: { ...ADMIN, roles: [] } };
const ofAdmin = (w: VideoHarness) => w.context().videos.jobs.listByPerson(ADMIN, 9);

/** A video that was proposed to U1, of a picture of U9 or of their own. */
async function proposed(author = userId('U9')) {
  const w = new VideoHarness();
  const { payload, ...others } = messageCommand();
  const ofMessage = { ...payload, message: { ...payload.message, author } };
  const request = {
    ...others,
    payload: ofMessage,
    interaction: { ...others.interaction, payload: ofMessage },
  };
  await w.process((context) => runMessageCommand(request, context, delivery));
  const press = (name: string, more = {}) =>
    w.process(async (context) => {
      const id = (await jobs(w))[0]?.id ?? '';
      await onAction({ ...buttonPress({ name, args: [id] }, more), admin: true }, context, delivery);
    });
  return { w, press };
}

test('an administrator who makes the video of somebody else again: the job knows whose words its prompt has', async () => {
  const { w, press } = await proposed();
  await press('video.make');
  await w.pass(4);
  await press('video.again', byAdmin);
  const [again] = await ofAdmin(w);
  expect(again).toMatchObject({ prompt: (await jobs(w))[0]?.prompt, promptAuthors: [person.user] });
  await press('video.again');
  expect((await jobs(w)).map(({ promptAuthors }) => promptAuthors)).toEqual([undefined, undefined]);
});

test('an administrator who makes a video of the requester’s own picture again: it is a picture of somebody else now', async () => {
  const { w, press } = await proposed(person.user);
  await press('video.make');
  await w.pass(4);
  expect((await jobs(w))[0]?.picture).toEqual({ ...PICTURE, origin: undefined });
  await press('video.again', byAdmin);
  const origin = { author: person.user, message: thread.root };
  expect((await ofAdmin(w))[0]?.picture).toEqual({ ...PICTURE, name: 'picture.png', origin });
});

test('an administrator who changes the prompt of a proposal: its words are also theirs', async () => {
  const { w } = await proposed();
  const change = { name: 'video.change-form', args: [(await jobs(w))[0]?.id ?? ''] };
  const form = await formFor(w, {
    ...buttonPress(change, byAdmin).interaction,
    by: { ...byAdmin.by, admin: true },
  });
  const sent = modalSubmission(form?.action ?? change, 'Gulls.', 'form-1');
  const interaction = { ...sent.interaction, ...byAdmin };
  await w.process((context) => onAction({ ...sent, interaction, admin: true }, context, delivery));
  expect((await jobs(w))[0]).toMatchObject({ prompt: 'Gulls.', promptAuthors: [ADMIN.user] });
});

test('a job whose prompt was erased is not sent, says so, and shows no empty quotation', async () => {
  const { w, press } = await proposed();
  await press('video.make');
  await w.process(async ({ videos }) => {
    const [job] = await jobs(w);
    if (job) await videos.jobs.save(job, { prompt: '' });
  });
  await w.process(async (context) => {
    const [job] = await jobs(w);
    if (job) await submitJob(job, context);
  });
  const [job] = await jobs(w);
  expect(job).toMatchObject({
    state: 'failed',
    reason: 'Describe in a few words what happens in the video.',
  });
  expect(w.madeVideos.size).toBe(0);
  expect(job && formatVideoCaption(job, 0)).not.toContain('>');
});
