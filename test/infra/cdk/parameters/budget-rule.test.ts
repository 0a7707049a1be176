import { expect, test } from '@jest/globals';
import { buildTemplate } from '../../../../infra/local/template/build.ts';
import { TemplateView } from '../../template.ts';

test('DeploymentBudget is refused without Accounts=on, before anything is created or changed', async () => {
  const { rules } = new TemplateView((await buildTemplate()).template);
  expect(rules['BudgetNeedsAccounts']).toEqual({
    Assertions: [
      {
        Assert: {
          'Fn::Or': [
            { 'Fn::Equals': [{ Ref: 'DeploymentBudget' }, ''] },
            { 'Fn::Equals': [{ Ref: 'Accounts' }, 'on'] },
          ],
        },
        AssertDescription: 'DeploymentBudget limits nothing without Accounts=on: set both, or neither.',
      },
    ],
  });
});
