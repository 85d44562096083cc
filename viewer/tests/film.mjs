// SPDX-License-Identifier: Apache-2.0
// Pictures of a notebook that runs, one for each moment of a film: node film.mjs ADDRESS FOLDER.
import { chromium } from 'playwright-core';

const [address, folder] = process.argv.slice(2);
const graphics = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--no-sandbox'];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: graphics });
const page = await browser.newPage({ viewport: { width: 960, height: 720 } });
page.setDefaultTimeout(60000);

let count = 0;
const shoot = async () => page.screenshot({ path: `${folder}/${String(count++).padStart(4, '0')}.png` });
const hold = async (pictures, pause = 100) => {
  for (let i = 0; i < pictures; i++) {
    await shoot();
    await page.waitForTimeout(pause);
  }
};
const run = async (cell) => {
  await page.locator('.code_cell').nth(cell).locator('.input_area').click();
  await page.keyboard.press('Control+Enter');
};

for (let tries = 0; ; tries++) {
  try {
    await page.goto(address);
    break;
  } catch (error) {
    if (tries === 60) throw error;
    await page.waitForTimeout(500);
  }
}
await page.waitForSelector('.kernel_idle_icon');
await page.addStyleTag({ content: '#header { display: none !important } .output_scroll { height: auto !important }' });
await hold(4);
await run(0);
const frame = page.frameLocator('iframe[title="Toccata"]');
await frame.locator('#app[data-ready]').waitFor();
await page.locator('iframe[title="Toccata"]').evaluate((item) => {
  item.style.height = '430px';
});
await hold(3);
await run(1);
await page.locator('iframe[title="Toccata"]').scrollIntoViewIfNeeded();
await hold(18, 150);
const box = await page.locator('iframe[title="Toccata"]').boundingBox();
await page.mouse.move(box.x + 90, box.y + 240);
await page.mouse.down();
for (let i = 1; i <= 12; i++) {
  await page.mouse.move(box.x + 90 + 16 * i, box.y + 240 + 2 * i);
  await shoot();
}
await page.mouse.up();
const scrub = async (value) =>
  frame.locator('footer input[type=range]').evaluate((slider, to) => {
    slider.value = String(to);
    slider.dispatchEvent(new Event('input'));
  }, value);
for (let i = 0; i <= 14; i++) {
  await scrub(45 - 3 * i);
  await shoot();
}
await frame.getByLabel('Colour by').selectOption('field:speed');
for (let i = 0; i <= 15; i++) {
  await scrub(3 * i);
  await shoot();
}
await frame.getByLabel('Colour by').selectOption('field:velocity');
for (let i = 0; i <= 10; i++) {
  await scrub(20 + 2 * i);
  await shoot();
}
await hold(6);
await browser.close();
