import { expect, test } from '@jest/globals';
import { runMessageCommand } from '../../shared/commands/definitions/animate.ts';
import { delivery, type Deps, jobs, messageCommand, picture } from './video-interactions.ts';
import { VideoHarness } from './video-harness.ts';

/** A message whose file belongs to another company: Slack says nothing but its id (`check_file_info`). */
function messageOfOtherCompany() {
  const { payload, ...request } = messageCommand();
  const attachments = [{ id: picture.id, name: '', mimetype: '', bytes: 0 }];
  return { ...request, payload: { ...payload, message: { ...payload.message, attachments } } };
}

test.each([
  ['a picture becomes a video', picture, ['proposed']],
  ['any other file does not', { ...picture, name: 'plan.pdf', mimetype: 'application/pdf' }, []],
])('of a file of another company, what it is is looked up: %s', async (_, file, states) => {
  const w = new VideoHarness();
  await w.process((context: Deps) => {
    const platform = { ...context.platform, resolveFile: async () => file };
    return runMessageCommand(messageOfOtherCompany(), { ...context, platform }, delivery);
  });
  expect((await jobs(w)).map(({ state }) => state)).toEqual(states);
  expect(JSON.stringify(w.stage.answers)).toContain(states.length > 0 ? 'video.make' : 'no picture');
});
