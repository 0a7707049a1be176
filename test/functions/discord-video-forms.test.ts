import { expect, test } from '@jest/globals';
import { discordFrontHarness, idNow, interaction } from './discord.ts';

test('“Animate” opens a modal with the price of each model; without a picture the worker responds', async () => {
  const harness = discordFrontHarness();
  const picture = { id: '72', url: 'https://cdn.discordapp.com/b', filename: 'b.png' };
  const menu = (attachments: readonly object[]) => {
    const messages = { '81': { id: '81', author: { id: '42' }, content: '', attachments } };
    const data = { type: 3, name: 'Animate', target_id: '81', resolved: { messages } };
    return harness.send(interaction({ type: 2, data }));
  };
  const { body } = await menu([picture]);
  expect(body).toMatchObject({ type: 9, data: { custom_id: `video.begin|${idNow()}|31|81|image-to-video` } });
  expect(JSON.stringify(body)).toMatch(
    /etwa 0,35\s\$.*gently.*model-v \(etwa 0,35\s\$\).*model-w \(Preis unb/u,
  );
  expect(harness.tasks).toEqual([]);
  const components = [{ type: 18, component: { type: 4, custom_id: 'prompt', value: 'Gulls.' } }];
  const sent = {
    id: idNow(1),
    type: 5,
    data: { custom_id: `video.begin|${idNow()}|31|81|image-to-video`, components },
  };
  expect((await harness.send(interaction(sent))).body).toEqual({ type: 5, data: { flags: 64 } });
  const call = {
    kind: 'form',
    action: { args: [idNow(), '31', '81', 'image-to-video'] },
    values: { prompt: 'Gulls.' },
  };
  expect(harness.tasks).toMatchObject([{ kind: 'invoked', interaction: { payload: call } }]);
  expect((await menu([])).status).toBe(202);
});

test('“Change prompt” opens a modal with the stored prompt, and reports a missing video', async () => {
  const video = { state: 'delivered', prompt: 'Waves.', model: 'model-w' };
  const videos = discordFrontHarness({ videos: { j1: video, j2: { ...video, state: 'proposed' } } });
  const changed = (await videos.send(on('video.change-form|j1'))).body;
  expect(changed).toMatchObject({ type: 9, data: { custom_id: 'video.change|j1' } });
  expect(JSON.stringify(changed)).toMatch(/Preis unbekannt.*Waves\./u);
  const response = (await videos.send(on('video.change-form|j2'))).body;
  expect(response).toMatchObject({ type: 9, data: { custom_id: 'video.make|j2' } });
  expect((await videos.send(on('video.change-form|j3'))).body).toMatchObject({ type: 4 });
  expect(videos.tasks).toEqual([]);
});

test('“Change prompt” of another person’s video opens a modal only for an administrator of the guild', async () => {
  const video = { state: 'delivered', prompt: 'Waves.', model: 'model-w' };
  const videos = discordFrontHarness({ videos: { j1: video } });
  const pressedBy = async (user: string, guild: string, permissions: string) => {
    const member = { user: { id: user }, roles: [], permissions };
    const over = { member, guild_id: guild, authorizing_integration_owners: { '0': guild } };
    return (await videos.send({ ...on('video.change-form|j1'), ...over })).body;
  };
  const manages = String(1n << 5n);
  expect(await pressedBy('41', '21', '0')).toMatchObject({ type: 9 });
  expect(await pressedBy('42', '21', manages)).toMatchObject({ type: 9 });
  for (const response of [
    await pressedBy('42', '21', '0'),
    await pressedBy('41', '22', '0'),
    await pressedBy('42', '22', manages),
  ]) {
    expect(response).toMatchObject({ type: 4 });
    expect(JSON.stringify(response)).not.toContain('Waves.');
  }
  expect(videos.tasks).toEqual([]);
});

function on(id: string): object {
  return interaction({ type: 3, message: { id: '91' }, data: { custom_id: id } });
}
