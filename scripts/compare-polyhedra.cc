// Repeats the operations that the example polyhedra_compare prints with the Parma Polyhedra Library, compares the
// results, and adds up the times. See scripts/compare-polyhedra.
#include <chrono>
#include <iostream>
#include <map>
#include <ppl.hh>
#include <sstream>
#include <string>
#include <tuple>

using namespace Parma_Polyhedra_Library;

static Linear_Expression read_row(std::istream &in, size_t dimensions) {
    std::string text;
    in >> text;
    Linear_Expression row(Coefficient(text.c_str()));
    for (size_t at = 0; at < dimensions; at++) {
        in >> text;
        Coefficient factor(text.c_str());
        if (factor != 0)
            row += factor * Variable(at);
    }
    return row;
}

static Constraint_System read_system(std::istream &in, size_t dimensions) {
    std::string bar, relation;
    size_t count;
    in >> bar >> count;
    Constraint_System system;
    system.set_space_dimension(dimensions);
    while (count-- > 0) {
        in >> relation;
        Linear_Expression row = read_row(in, dimensions);
        if (relation == "=")
            system.insert(row == 0);
        else
            system.insert(row >= 0);
    }
    return system;
}

static C_Polyhedron make(const Constraint_System &system, size_t dimensions) {
    C_Polyhedron polyhedron(dimensions);
    polyhedron.add_constraints(system);
    return polyhedron;
}

static void minimise(const C_Polyhedron &polyhedron) {
    polyhedron.minimized_constraints();
    polyhedron.minimized_generators();
}

int main() {
    struct Sum {
        size_t cases = 0, different = 0, generators = 0;
        double ours = 0, theirs = 0;
    };
    std::map<std::tuple<std::string, size_t, std::string>, Sum> sums;
    std::string line;
    bool differ = false;
    while (std::getline(std::cin, line)) {
        std::istringstream in(line);
        std::string operation, family;
        size_t dimensions, target;
        double time;
        in >> operation >> family >> dimensions >> time >> target;
        Linear_Expression value = read_row(in, dimensions);
        Constraint_System first = read_system(in, dimensions), second = read_system(in, dimensions);
        Constraint_System expected = read_system(in, dimensions);
        C_Polyhedron a = make(first, dimensions), b = make(second, dimensions);
        if (operation != "build") {
            minimise(a);
            minimise(b);
        }
        Variable variable(target);
        C_Polyhedron result(dimensions);
        double spent = 0;
        // The fastest of three runs, as for our own times.
        for (int run = 0; run < 3; run++) {
            C_Polyhedron left(operation == "build" ? make(first, dimensions) : a), right(b);
            auto start = std::chrono::steady_clock::now();
            if (operation == "join")
                left.poly_hull_assign(right);
            else if (operation == "meet")
                left.intersection_assign(right);
            else if (operation == "assume")
                left.add_constraint(value <= 0);
            else if (operation == "shift" || operation == "set")
                left.affine_image(variable, value);
            else if (operation == "forget")
                left.unconstrain(variable);
            else if (operation == "widen") {
                std::swap(left, right);
                left.H79_widening_assign(right);
            }
            minimise(left);
            std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
            spent = run == 0 ? time.count() : std::min(spent, time.count());
            std::swap(result, left);
        }
        Sum &sum = sums[{family, dimensions, operation}];
        sum.cases++;
        sum.ours += time;
        sum.theirs += spent;
        for (auto at = result.generators().begin(); at != result.generators().end(); ++at)
            sum.generators++;
        if (result != make(expected, dimensions)) {
            sum.different++;
            differ = true;
            std::cerr << "different: " << line << "\n";
        }
    }
    std::cout << "family dimensions operation cases different generators ours_us ppl_us ratio\n";
    std::map<size_t, std::pair<double, double>> totals;
    for (auto &[key, sum] : sums) {
        auto &[family, dimensions, operation] = key;
        totals[dimensions].first += sum.ours;
        totals[dimensions].second += sum.theirs;
        std::cout << family << " " << dimensions << " " << operation << " " << sum.cases << " " << sum.different << " "
                  << sum.generators / sum.cases << " " << sum.ours / 1000 / sum.cases << " "
                  << sum.theirs / 1000 / sum.cases << " " << sum.theirs / sum.ours << "\n";
    }
    for (auto &[dimensions, total] : totals)
        std::cout << "all " << dimensions << " all - - - " << total.first / 1000 << " " << total.second / 1000 << " "
                  << total.second / total.first << "\n";
    return differ;
}
