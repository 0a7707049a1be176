import { expect, test } from '@jest/globals';
import { FileUnavailableError } from '../../../shared/platforms/ports/index.ts';
import { spendingIn } from '../../fakes/spending.ts';
import { commandHarness, fakeInteraction, typedCommand } from '../command-harness.ts';

const csv = fakeInteraction(typedCommand('usage csv:yes'));

test('the file is announced before it is sent: as the first response in Discord, it would take the place of the card', async () => {
  const { call, stage } = commandHarness({ budgets: spendingIn() });
  const order: string[] = [];
  const [respond, send] = [stage.respond.bind(stage), stage.sendFilePrivately.bind(stage)];
  Object.assign(stage, {
    respond: (...args: Parameters<typeof respond>) => (order.push('card'), respond(...args)),
    sendFilePrivately: (...args: Parameters<typeof send>) => (order.push('file'), send(...args)),
  });
  await call(csv);
  expect(order).toEqual(['card', 'file']);
  expect(JSON.stringify(stage.answers)).toContain('Only you see the table');
});

test('if the platform rejects the file, the person is told why', async () => {
  const { call, stage } = commandHarness({ budgets: spendingIn() });
  stage.refuse.sendFilePrivately = new FileUnavailableError(['files.upload.off']);
  await call(csv);
  expect(JSON.stringify(stage.answers.at(-1)?.card)).toContain('switched off');
});
