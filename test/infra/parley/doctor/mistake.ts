import { afterEach, expect, test } from '@jest/globals';
import type { Variables } from '../../../../infra/configuration/index.ts';
import type { DoctorInput } from '../../../../infra/parley/doctor/doctor-input.ts';
import { diagnoseVariables, getProblems, startWorld, type World, type WorldOptions } from './world.ts';

/** One mistake: what is wrong, and what the doctor has to say. */
export type Mistake = {
  readonly title: string;
  readonly world?: WorldOptions;
  /** Changes the correct variables. */
  readonly change?: (variables: Variables, world: World) => Variables;
  readonly input?: Partial<DoctorInput> | ((world: World) => Partial<DoctorInput>);
  /** `fail NAME` or `warn NAME`. */
  readonly problem: string;
  /** Other problems that follow from it. None by default. */
  readonly others?: readonly string[];
  readonly finding: RegExp;
  readonly fix: RegExp;
};

/** Makes each mistake in a correct set-up, and expects that the doctor reports it with its fix, and nothing else. */
export function testMistakes(mistakes: readonly Mistake[]): void {
  let world: World | undefined;
  afterEach(async () => {
    await world?.close();
    world = undefined;
  });
  test.each(mistakes.map((mistake) => [mistake.title, mistake] as const))(
    'the doctor reports that %s',
    async (_, mistake) => {
      world = await startWorld(mistake.world);
      const variables = mistake.change?.(world.variables, world) ?? world.variables;
      const input = typeof mistake.input === 'function' ? mistake.input(world) : mistake.input;
      const checks = await diagnoseVariables(variables, input);
      expect(getProblems(checks).toSorted()).toEqual([mistake.problem, ...(mistake.others ?? [])].toSorted());
      const [result, ...name] = mistake.problem.split(' ');
      const check = checks.find((one) => one.result === result && one.name === name.join(' '));
      expect(check?.finding).toMatch(mistake.finding);
      expect(check?.fix).toMatch(mistake.fix);
    },
  );
}

export const without = (variables: Variables, ...names: string[]): Variables =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => !names.includes(name)));
