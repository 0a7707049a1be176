import { CfnParameter, type Stack } from 'aws-cdk-lib';
import type { Use } from '../lambda-function.ts';
import { PARAMETERS } from './parameter-list.ts';

/** Parameters of the deployment (`--parameters Name=value`): the same template serves every installation. */
export type ParameterName = keyof typeof PARAMETERS;

/** Declares parameters when a function uses them, and passes them to the functions as variables. */
export class Parameters {
  private readonly declared = new Map<ParameterName, CfnParameter>();
  private readonly stack: Stack;

  constructor(stack: Stack) {
    this.stack = stack;
  }

  /** Returns the variables of these parameters. An unused parameter is not declared. */
  use(...names: ParameterName[]): Use {
    return { env: Object.fromEntries(names.map((name) => [PARAMETERS[name].env, this.value(name)])) };
  }

  value(name: ParameterName): string {
    return this.findOrCreate(name).valueAsString;
  }

  /** Returns the value of a numeric parameter. */
  number(name: ParameterName): number {
    return this.findOrCreate(name).valueAsNumber;
  }

  private findOrCreate(name: ParameterName): CfnParameter {
    const { env: _, ...props } = PARAMETERS[name];
    const parameter = this.declared.get(name) ?? new CfnParameter(this.stack, name, props);
    this.declared.set(name, parameter);
    return parameter;
  }
}
