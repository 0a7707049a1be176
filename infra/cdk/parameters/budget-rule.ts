import { CfnRule, Fn, type Stack } from 'aws-cdk-lib';
import type { Parameters } from './parameters.ts';

/** Without accounts nothing is counted, and the budget would limit nothing. This rule fails before any resource is created or changed. */
export function requireAccountsForBudget(stack: Stack, parameters: Parameters): void {
  new CfnRule(stack, 'BudgetNeedsAccounts', {
    assertions: [
      {
        assert: Fn.conditionOr(
          Fn.conditionEquals(parameters.value('DeploymentBudget'), ''),
          Fn.conditionEquals(parameters.value('Accounts'), 'on'),
        ),
        assertDescription: 'DeploymentBudget limits nothing without Accounts=on: set both, or neither.',
      },
    ],
  });
}
