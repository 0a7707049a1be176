import { expect, test } from '@jest/globals';
import { BudgetExceededError } from '../../../shared/billing/index.ts';
import { describeFailure } from '../../../shared/chat/index.ts';
import { texts } from '../../../shared/commands/definitions/quota.ts';
import { LOCALES } from '../../../shared/i18n/index.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const BUDGET = { scope: 'person', period: 'day', limit: {}, account: 'D#2026-11-21' } as const;

test.each(LOCALES)('a refusal names the command for budgets as the platform shows it (%s)', (locale) => {
  for (const budget of [undefined, BUDGET]) {
    const describe = (platform: 'slack' | 'discord') =>
      describeFailure(new BudgetExceededError({ platform, zone: 'UTC' }, budget, NOW), { now: NOW, locale });
    expect(describe('slack')?.sentence).toContain('`quota`');
    expect(describe('discord')?.sentence).toContain(`\`/${texts.name[locale]}\``);
  }
});
