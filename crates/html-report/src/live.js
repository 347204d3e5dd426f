"use strict";
// Takes in what changed of a run, shows whether it still hears of it and, where that is offered, sends
// what its reader tells the run. There is nothing else to it: every piece of HTML comes
// escaped from the server that the page itself came from.
(function () {
  const said = document.getElementById("connection");

  function say(text, kind) {
    if (said.textContent !== text) said.textContent = text;
    said.className = kind;
  }

  // What a reader unfolded, by the key that each of them has.
  function unfolded(element) {
    const open = element.querySelectorAll("details[open][data-key]");
    return new Set(Array.from(open, function (one) { return one.dataset.key; }));
  }

  // The way to the element that has the focus, as numbers of children, since most have no id.
  function wayTo(element, inside) {
    if (!element.contains(inside)) return null;
    const way = [];
    for (let at = inside; at !== element; at = at.parentElement) {
      way.unshift(Array.prototype.indexOf.call(at.parentElement.children, at));
    }
    return way;
  }

  function follow(element, way) {
    return way.reduce(function (at, place) { return at === undefined ? at : at.children[place]; }, element);
  }

  // How far boxes within are scrolled, in their order.
  function scrolled(element) {
    return Array.from(element.querySelectorAll(".scroll, pre"), function (box) {
      return [box.scrollLeft, box.scrollTop];
    });
  }

  function replace(id, html) {
    const old = document.getElementById(id);
    if (old === null) return;
    const holder = document.createElement("template");
    holder.innerHTML = html;
    const fresh = holder.content.firstElementChild;
    if (fresh === null) return;
    const open = unfolded(old);
    const boxes = scrolled(old);
    const focus = wayTo(old, document.activeElement);
    for (const details of fresh.querySelectorAll("details[data-key]")) {
      details.open = open.has(details.dataset.key);
    }
    old.replaceWith(fresh);
    if (fresh.dataset.title) document.title = fresh.dataset.title;
    fresh.querySelectorAll(".scroll, pre").forEach(function (box, place) {
      const was = boxes[place];
      if (was) box.scrollTo(was[0], was[1]);
    });
    const target = focus === null ? undefined : follow(fresh, focus);
    if (target) target.focus({ preventScroll: true });
  }

  // As the page itself writes them: 8s, 4m 12s, 1h 02m.
  function words(seconds) {
    const two = function (number) { return String(number).padStart(2, "0"); };
    const whole = Math.max(0, Math.floor(seconds));
    const hours = Math.floor(whole / 3600);
    const minutes = Math.floor(whole / 60) % 60;
    if (hours > 0) return hours + "h " + two(minutes) + "m";
    if (minutes > 0) return minutes + "m " + two(whole % 60) + "s";
    return whole + "s";
  }

  function tick() {
    for (const time of document.querySelectorAll("time[data-since]")) {
      const text = words((Date.now() - Date.parse(time.dataset.since)) / 1000);
      if (time.textContent !== text) time.textContent = text;
    }
  }

  const orders = document.getElementById("orders");

  function answered(text, kind) {
    const answer = document.getElementById("order-answer");
    answer.textContent = text;
    answer.className = kind;
  }

  function read(body) {
    try { return JSON.parse(body); } catch (error) { return { error: body }; }
  }

  // Whether the run was told.
  async function give(order) {
    const body = JSON.stringify(order);
    const headers = { "Content-Type": "application/json" };
    answered("…", "");
    try {
      const response = await fetch(orders.dataset.to, { method: "POST", headers: headers, body: body });
      const said = read(await response.text());
      const refused = said.hint ? said.error + ": " + said.hint : said.error;
      answered(response.ok ? said.text : refused, response.ok ? "good" : "bad");
      return response.ok;
    } catch (error) {
      answered("the server did not answer: is ralph-loop serve still running?", "bad");
      return false;
    }
  }

  // What is not easily undone is asked about first.
  function chosen(kind) {
    const story = document.getElementById("head").dataset.story;
    const which = story ? story : "the story that comes next";
    if (kind === "skip") {
      if (!confirm("Skip " + which + "? Its work is kept on a branch; the run goes on without it.")) return null;
      return { kind: kind, story: story };
    }
    if (kind === "stop") {
      if (!confirm("Stop the run? Its agent may finish its answer; ralph-loop goes on from there.")) return null;
    }
    return { kind: kind };
  }

  if (orders !== null) {
    for (const button of orders.querySelectorAll("button[data-order]")) {
      button.addEventListener("click", function () {
        const order = chosen(button.dataset.order);
        if (order !== null) give(order);
      });
    }
    const text = document.getElementById("steer-text");
    document.getElementById("steer").addEventListener("submit", async function (event) {
      event.preventDefault();
      const said = text.value;
      if (await give({ kind: "steer", text: said })) {
        if (text.value === said) text.value = "";
      }
    });
  }

  const events = new EventSource(document.body.dataset.events);
  const clock = setInterval(tick, 1000);
  events.addEventListener("open", function () { say("live", "live"); });
  events.addEventListener("error", function () {
    say(events.readyState === EventSource.CLOSED ? "connection lost" : "connection lost, trying again", "lost");
  });
  events.addEventListener("sections", function (message) {
    for (const [id, html] of Object.entries(JSON.parse(message.data).sections)) replace(id, html);
    tick();
  });
  events.addEventListener("end", function () {
    events.close();
    clearInterval(clock);
    say("the run is over", "over");
  });
})();
