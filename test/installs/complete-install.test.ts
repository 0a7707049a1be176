import { describe, expect, test } from '@jest/globals';
import { userId, workspaceId } from '../../shared/domain/index.ts';
import { completeInstall, type InstallContext } from '../../shared/installs/complete-install.ts';

const REDIRECT = 'https://bot.example/slack/oauth_redirect';
const INSTALL = {
  workspace: workspaceId('T1'),
  name: 'Acme',
  botToken: 'xoxb-1',
  botUser: userId('UBOT'),
  scopes: 'chat:write',
  by: userId('U1'),
  at: 0,
};

function rig(changes: Partial<InstallContext> = {}) {
  const saved: unknown[] = [];
  const logged: unknown[] = [];
  const asked: string[] = [];
  const context: InstallContext = {
    installs: { save: async (install) => void saved.push(install) },
    isOurs: (state, kept) => state === kept,
    redeem: async (code, redirectUri) => {
      asked.push(`${code} ${redirectUri}`);
      return INSTALL;
    },
    log: (...said) => void logged.push(said),
    ...changes,
  };
  return { context, saved, logged, asked };
}

describe('an install', () => {
  test('ends with the workspace kept, and its token in no log', async () => {
    const { context, saved, asked, logged } = rig();
    const outcome = await completeInstall({ code: 'c1', state: 's', kept: 's' }, REDIRECT, context);
    expect(outcome).toEqual({ kind: 'installed', name: 'Acme' });
    expect(asked).toEqual([`c1 ${REDIRECT}`]);
    expect(saved).toEqual([INSTALL]);
    expect(JSON.stringify(logged)).not.toContain('xoxb');
  });

  test.each([
    { code: 'c', state: 's' },
    { code: 'c', kept: 's' },
    { code: 'c', state: 's', kept: 'other' },
    { code: 'c', state: '', kept: '' },
  ])('is not finished by a browser that did not begin it: %j', async (back) => {
    const { context, asked } = rig();
    expect(await completeInstall(back, REDIRECT, context)).toEqual({ kind: 'stale' });
    expect(asked).toEqual([]);
  });

  test('keeps nothing when the person said no, when Slack does, and when it cannot be stored', async () => {
    const refused = Object.assign(new Error('no'), { code: 'invalid_code' });
    const { context, saved } = rig({ redeem: () => Promise.reject(refused) });
    const ours = { state: 's', kept: 's' };
    expect(await completeInstall({ ...ours, error: 'access_denied' }, REDIRECT, context)).toEqual({
      kind: 'denied',
    });
    expect(await completeInstall({ ...ours, code: 'c' }, REDIRECT, context)).toEqual({
      kind: 'failed',
      code: 'invalid_code',
    });
    const full = rig({ installs: { save: () => Promise.reject(new Error('the table is gone')) } });
    expect(await completeInstall({ ...ours, code: 'c' }, REDIRECT, full.context)).toEqual({
      kind: 'failed',
      code: 'internal',
    });
    expect(saved).toEqual([]);
  });
});
