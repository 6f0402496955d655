import { SlowDown } from '../../../lib/hosts/http/access/admission.ts';
import { shareOf } from '../../support/runs.ts';
import { testClock } from '../../support/simulated.ts';

/** A clock whose waits end when the test says so. */
function heldClock() {
  const waiting: (() => void)[] = [];
  const clock = {
    elapsed: () => 0,
    wait: () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
      }),
  };
  const release = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { clock, waiting, release };
}

async function fail(slowDown: Pick<SlowDown, 'wait'>, remote: string, times: number): Promise<boolean[]> {
  const answers: boolean[] = [];
  for (let time = 0; time < times; time += 1) answers.push(await slowDown.wait(remote));
  return answers;
}

test('refuses the first wrong tokens at once, then doubles the delay up to two seconds', async () => {
  const clock = testClock();
  const answers = await fail(new SlowDown(clock), '192.0.2.1', 12);
  expect(clock.waits).toEqual([125, 250, 500, 1000, 2000, 2000, 2000]);
  expect(answers).not.toContain(false);
});

test('addresses are delayed separately, and forgotten after a minute', async () => {
  const clock = testClock();
  const slowDown = new SlowDown(clock);
  clock.advance(1000);
  await fail(slowDown, '192.0.2.1', 6);
  await fail(slowDown, '192.0.2.2', 5);
  expect(clock.waits).toEqual([125]);
  // The wait took some of the minute.
  clock.advance(59_999 - 125);
  await fail(slowDown, '192.0.2.1', 1);
  expect(clock.waits).toEqual([125, 250]);
  clock.advance(60_000 - 250);
  await fail(slowDown, '192.0.2.1', 5);
  expect(clock.waits).toEqual([125, 250]);
  expect(slowDown.size).toBe(1);
});

test.each([
  ['the addresses of one IPv6 network', ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:0DB8:1:2:3:4:5:6'], 1],
  ['a network with and without its zeros', ['2001:db8::1', '2001:db8:0:0:1::', '2001:db8:0:0:1:2:3:4'], 1],
  ['a network with zeros in its middle', ['2001:0:0:7::1', '2001::7:1:2:3:4', '2001:0000:0:0007:0:0:0:1'], 1],
  ['a network with zeros at its start', ['::7:1:2:3:4', '0:0:0:7:1:2:3:4', '0:0:0:7::'], 1],
  ['IPv6 networks', ['2001:db8:1:2::1', '2001:db8:1:3::1', '2001:db8::1'], 3],
  ['IPv6 networks of the same digits', ['2001:d:b8::1', '2001:db:8::1'], 2],
  ['an IPv4 address and its IPv6 form', ['192.0.2.1', '::ffff:192.0.2.1'], 1],
  ['an IPv4 address and its IPv6 form in capitals', ['198.51.100.234', '::FFFF:198.51.100.234'], 1],
  ['an IPv4 address and an IPv6 address that ends alike', ['192.0.2.1', '2001:db8::ffff:192.0.2.1'], 2],
  ['IPv4 addresses in their IPv6 form', ['::ffff:192.0.2.1', '::ffff:192.0.2.2'], 2],
  ['loopback in both forms', ['127.0.0.1', '::1'], 2],
  ['zones of an address', ['fe80::1%eth0', 'fe80::1%eth1'], 1],
])('counts %s correctly', async (_, remotes, networks) => {
  const slowDown = new SlowDown(testClock());
  for (const remote of remotes) await slowDown.wait(remote);
  expect(slowDown.size).toBe(networks);
});

test('memory is bounded by ten thousand addresses', async () => {
  const clock = testClock();
  const slowDown = new SlowDown(clock);
  const count = 10_000 + shareOf(90_000);
  const addressOf = (at: number) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`;
  for (let at = 0; at < count; at += 1) await slowDown.wait(addressOf(at));
  expect(slowDown.size).toBe(10_000);
  // The latest are remembered, the first are not.
  await fail(slowDown, addressOf(count - 1), 5);
  expect(clock.waits).toEqual([125]);
  await fail(slowDown, addressOf(0), 5);
  expect(clock.waits).toEqual([125]);
});

test('at most a hundred refusals are delayed; further refusals are immediate', async () => {
  const { clock, release, waiting } = heldClock();
  const slowDown = new SlowDown(clock);
  await fail(slowDown, '192.0.2.1', 5);
  const held = Array.from({ length: 100 }, () => slowDown.wait('192.0.2.1'));
  expect(await slowDown.wait('192.0.2.1')).toBe(false);
  expect(waiting).toHaveLength(100);
  // Another address has its own first tries.
  expect(await slowDown.wait('192.0.2.2')).toBe(true);
  release();
  expect(await Promise.all(held)).not.toContain(false);
  const next = slowDown.wait('192.0.2.1');
  release();
  expect(await next).toBe(true);
});
