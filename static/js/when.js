// Puts the browser's zone in the place of the server's, and keeps distances from now up to date.
// UTC stays in the title. A page whose <html> has data-zone="kept" keeps the server's zone.
(() => {
  "use strict";
  const language = document.documentElement.lang || "en";
  const kept = document.documentElement.dataset.zone === "kept";
  const day = { day: "numeric", month: "short", year: "numeric" };
  const minute = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  const whole = new Intl.DateTimeFormat(language, { ...day, ...minute, timeZoneName: "short" });
  const clock = new Intl.DateTimeFormat(language, { ...minute, second: "2-digit" });
  const units = [
    ["day", 86400],
    ["hour", 3600],
    ["minute", 60],
    ["second", 1],
  ];
  const far = new Intl.RelativeTimeFormat(language, { numeric: "always", style: "short" });

  const part = (parts, type) => parts.find((found) => found.type === type)?.value ?? "";

  const absolute = (moment) => {
    const parts = whole.formatToParts(moment);
    const [d, m, y, h, i, z] = ["day", "month", "year", "hour", "minute", "timeZoneName"].map(
      (type) => part(parts, type),
    );
    return `${d} ${m} ${y}, ${h}:${i} ${z}`;
  };

  const distance = (moment, now) => {
    const seconds = Math.trunc((moment - now) / 1000);
    const size = Math.abs(seconds);
    const [unit, length] = units.find(([name, at]) => size >= (name === "day" ? 2 * at : at)) || [
      "second",
      1,
    ];
    return far.format(Math.trunc(seconds / length), unit);
  };

  const localise = (root) => {
    if (kept) return;
    root.querySelectorAll("time[data-when]").forEach((time) => {
      const moment = new Date(time.dateTime);
      if (Number.isNaN(moment.getTime())) return;
      time.textContent =
        time.dataset.when === "clock" ? clock.format(moment) : absolute(moment);
    });
  };

  const age = () => {
    const now = Date.now();
    document.querySelectorAll("[data-far]").forEach((element) => {
      const moment = Date.parse(element.dataset.far);
      // the first minute keeps the server's words; seconds that tick would only distract
      if (Math.abs(moment - now) >= 60000) element.textContent = distance(moment, now);
    });
  };

  localise(document);
  setInterval(age, 30000);
  document.addEventListener("htmx:load", (event) => localise(event.detail.elt));
})();
